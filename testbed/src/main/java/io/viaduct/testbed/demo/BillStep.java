package io.viaduct.testbed.demo;

import io.viaduct.testbed.process.StatusSocket;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/// (e) the bill: what each flow was charged and why, and that the ledger, the REST interface and
/// the page say the same balance.
final class BillStep {
  private static final long PATIENCE_NS = 30_000_000_000L;
  private static final long QUIET_NS = 6_000_000_000L; // more than one interval of 5 s

  private final BillingClient user;
  private final BillingClient operator;
  private final Page page;
  private final List<Path> snapts;
  private final LongSupplier nanoTime;

  /// @param snapts status sockets of the SNAPTs
  BillStep(
      BillingClient user,
      BillingClient operator,
      Page page,
      List<Path> snapts,
      LongSupplier nanoTime) {
    this.snapts = List.copyOf(snapts);
    this.user = user;
    this.operator = operator;
    this.page = page;
    this.nanoTime = nanoTime;
  }

  /// @param topUp micro-denarii that alice was given
  /// @param downloaded bytes that the bill must contain at least
  void run(Narration narration, long topUp, long downloaded) throws IOException {
    List<Charge> charges = settled(downloaded);
    narration.block(table(charges));
    long net = charges.stream().mapToLong(Charge::net).sum();
    long balance = user.balance("alice");
    long pre = charges.stream().mapToLong(Charge::preBytes).sum();
    narration.hold(pre >= downloaded, "every byte of the download is on the bill: %d B", pre);
    narration.hold(
        balance == topUp - net,
        "balance %s = top-up %s − charges %s",
        BillingClient.denarii(balance),
        BillingClient.denarii(topUp),
        BillingClient.denarii(net));
    long shown = page.balance();
    narration.hold(
        shown == balance, "the page shows the same balance: %s", BillingClient.denarii(shown));
    gapless(narration, charges);
    narration.hold(
        operator.get("/ledger/verification").path("balanced").asBoolean(true),
        "the ledger's accounts sum to zero");
    narration.line("for example: %s", charges.getLast().reason());
  }

  /// Waits until the download is charged for and nothing new has come for more than one interval.
  private List<Charge> settled(long downloaded) throws IOException {
    long end = nanoTime.getAsLong() + PATIENCE_NS;
    long quietSince = nanoTime.getAsLong();
    List<Charge> known = user.charges("alice");
    while (nanoTime.getAsLong() - end < 0) {
      List<Charge> now = user.charges("alice");
      if (now.size() != known.size()) {
        quietSince = nanoTime.getAsLong();
      }
      known = now;
      long bytes = now.stream().mapToLong(Charge::preBytes).sum();
      if (bytes >= downloaded && nanoTime.getAsLong() - quietSince > QUIET_NS) {
        break;
      }
      LockSupport.parkNanos(200_000_000);
    }
    return known;
  }

  private void gapless(Narration narration, List<Charge> charges) throws IOException {
    int gaps = operator.get("/reports/gaps").path("gaps").size();
    int refused = operator.get("/reports/refused").path("reports").size();
    long waiting = 0;
    for (Path socket : snapts) {
      waiting += StatusSocket.read(socket).path("reportsPending").asLong();
    }
    long flowIntervals = charges.stream().map(BillStep::key).distinct().count();
    narration.hold(
        gaps == 0 && refused == 0 && waiting == 0 && flowIntervals == charges.size(),
        "reports: %d waiting, %d missing, %d refused; %d charges for %d flow intervals",
        waiting,
        gaps,
        refused,
        charges.size(),
        flowIntervals);
  }

  /// What is billed once (SNAPT, session, epoch, sequence, flow).
  private static List<Object> key(Charge charge) {
    return List.of(
        charge.snapt(), charge.session(), charge.epoch(), charge.sequence(), charge.flow());
  }

  /// One row per flow, over all its intervals.
  private static String table(List<Charge> charges) {
    var table =
        new Table()
            .row(
                "application",
                "class",
                "bytes",
                "on the wire",
                "saved %",
                "kbit/s",
                "ms",
                "price",
                "charge",
                "discount",
                "net");
    Map<String, List<Charge>> flows =
        charges.stream()
            .collect(
                Collectors.groupingBy(
                    charge -> charge.session() + "/" + charge.epoch() + "/" + charge.flow()));
    var sorted = new ArrayList<>(flows.values());
    sorted.sort(Comparator.comparingLong(flow -> -sum(flow, Charge::preBytes)));
    for (List<Charge> flow : sorted) {
      Charge first = flow.getFirst();
      long pre = sum(flow, Charge::preBytes);
      long post = sum(flow, Charge::postBytes);
      table.row(
          first.application(),
          first.serviceClass().replace('_', '&'),
          Long.toString(pre),
          Long.toString(post),
          number("%.1f", pre == 0 ? 0 : 100.0 * (pre - post) / pre),
          number("%.0f", pre * 8.0 / Math.max(1, sum(flow, Charge::durationMs))),
          number("%.1f", flow.stream().mapToDouble(Charge::delayMs).average().orElse(0)),
          number("%.1e", flow.stream().mapToDouble(Charge::pricePerUnit).average().orElse(0)),
          BillingClient.denarii(sum(flow, Charge::charge)),
          BillingClient.denarii(sum(flow, Charge::discount)),
          BillingClient.denarii(sum(flow, Charge::net)));
    }
    return table.toString();
  }

  private static long sum(List<Charge> flow, java.util.function.ToLongFunction<Charge> what) {
    return flow.stream().mapToLong(what).sum();
  }

  private static String number(String format, double value) {
    return String.format(java.util.Locale.ROOT, format, value);
  }
}
