package io.viaduct.testbed.demo;

import io.viaduct.testbed.process.StatusSocket;
import io.viaduct.testbed.report.Table;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/// Step (g), the bill: shows the charge of each flow with its reason, and checks that the ledger,
/// the REST interface and the page show the same balance.
final class BillStep {
  private static final long PATIENCE_NS = 45_000_000_000L;
  private static final long QUIET_NS = Demo.INTERVAL.plusSeconds(1).toNanos();

  private final BillingClient user;
  private final BillingClient operator;
  private final Retry.Question<Long> page;
  private final List<Path> snapts;
  private final boolean hasMoved;
  private final Retry retry;
  private final LongSupplier nanoTime;

  /// Makes the step.
  ///
  /// @param page reads the balance from the user's page
  /// @param snapts status sockets of the SNAPTs
  /// @param hasMoved true if a stream has changed its link within one session
  BillStep(
      BillingClient user,
      BillingClient operator,
      Retry.Question<Long> page,
      List<Path> snapts,
      boolean hasMoved,
      Retry retry,
      LongSupplier nanoTime) {
    this.snapts = List.copyOf(snapts);
    this.hasMoved = hasMoved;
    this.user = user;
    this.operator = operator;
    this.page = page;
    this.retry = retry;
    this.nanoTime = nanoTime;
  }

  /// Runs the step.
  ///
  /// @param topUp micro-denarii in alice's account
  /// @param downloaded least bytes from the web server that the bill must contain
  /// @param moved bytes of the download that went from one SNAPT to the other
  void run(Narration narration, long topUp, long downloaded, long moved) throws IOException {
    List<Charge> charges = settled(downloaded);
    narration.block(table(charges));
    long net = charges.stream().mapToLong(Charge::net).sum();
    long balance = user.balance("alice");
    long web = web(charges);
    narration.hold(
        web >= downloaded,
        "the download is on the bill: %d B with its headers, at least %d B",
        web,
        downloaded);
    ChargedOnce.check(narration, charges, moved);
    narration.hold(
        balance == topUp - net,
        "balance %s = top-up %s − charges %s",
        BillingClient.denarii(balance),
        BillingClient.denarii(topUp),
        BillingClient.denarii(net));
    long shown = shownOnce(balance);
    narration.hold(
        shown == balance, "the page shows the same balance: %s", BillingClient.denarii(shown));
    if (hasMoved) {
      links(narration, charges);
    }
    gapless(narration, charges);
    var verification = operator.get("/ledger/verification");
    narration.hold(
        verification.path("holds").asBoolean(),
        "the ledger's accounts sum to zero: %d invariants recomputed from its rows",
        verification.path("checks").size());
    narration.line("for example: %s", charges.getLast().sentence());
  }

  /// Waits until the download is charged, no report is pending, and no charge has come for more
  /// than one interval.
  private List<Charge> settled(long downloaded) throws IOException {
    long endNs = nanoTime.getAsLong() + PATIENCE_NS;
    long quietSinceNs = nanoTime.getAsLong();
    List<Charge> known = user.charges("alice");
    while (nanoTime.getAsLong() - endNs < 0) {
      List<Charge> now = user.charges("alice");
      if (now.size() != known.size()) {
        quietSinceNs = nanoTime.getAsLong();
      }
      known = now;
      boolean isQuiet = nanoTime.getAsLong() - quietSinceNs > QUIET_NS;
      if (web(now) >= downloaded && isQuiet && operator.missingReports() == 0 && waiting() == 0) {
        break;
      }
      LockSupport.parkNanos(200_000_000);
    }
    return known;
  }

  /// Returns what the page shows, once nothing is reserved any more: grants that are not used end
  /// after ten seconds.
  private long shownOnce(long balance) throws IOException {
    long endNs = nanoTime.getAsLong() + PATIENCE_NS;
    long shown = retry.until(page);
    while (shown != balance && nanoTime.getAsLong() - endNs < 0) {
      LockSupport.parkNanos(500_000_000);
      shown = retry.until(page);
    }
    return shown;
  }

  private static long web(List<Charge> charges) {
    String server = Topology.SERVER + ":" + FarEnd.TEXT_PORT;
    return charges.stream()
        .filter(charge -> charge.remote().equals(server))
        .mapToLong(Charge::preBytes)
        .sum();
  }

  /// Checks that the bill names both links of a stream that has moved.
  private static void links(Narration narration, List<Charge> charges) {
    String stream = Topology.SERVER + ":" + FarEnd.STREAM_PORT;
    List<String> ways =
        flows(charges).stream()
            .filter(flow -> flow.getFirst().remote().equals(stream))
            .map(BillStep::links)
            .toList();
    narration.hold(
        ways.stream().anyMatch(way -> way.contains(DeviceLinks.A) && way.contains(DeviceLinks.B)),
        "the bill names the links of the streams, interval by interval: %s",
        String.join("; ", ways));
  }

  /// Returns the links of a flow in the order of its intervals, each once as long as it stays.
  private static String links(List<Charge> flow) {
    List<String> links = new ArrayList<>();
    flow.stream()
        .sorted(Comparator.comparingLong(Charge::sequence))
        .map(charge -> charge.link().isEmpty() ? "-" : charge.link())
        .forEach(link -> {
          if (links.isEmpty() || !links.getLast().equals(link)) {
            links.add(link);
          }
        });
    return String.join(", ", links);
  }

  /// Returns the charges of each flow. A flow's id is used again 30 s after its end.
  private static Collection<List<Charge>> flows(List<Charge> charges) {
    return charges.stream()
        .collect(
            Collectors.groupingBy(charge ->
                List.of(
                    charge.session(),
                    charge.epoch(),
                    charge.flow(),
                    charge.application(),
                    charge.remote())))
        .values();
  }

  private void gapless(Narration narration, List<Charge> charges) throws IOException {
    int gaps = operator.missingReports();
    int refused = operator.refusedReports();
    long waiting = waiting();
    long flowIntervals = charges.stream().map(Charge::key).distinct().count();
    narration.hold(
        gaps == 0 && refused == 0 && waiting == 0 && flowIntervals == charges.size(),
        "reports: %d waiting, %d missing, %d refused; %d charges for %d flow intervals",
        waiting,
        gaps,
        refused,
        charges.size(),
        flowIntervals);
  }

  private long waiting() throws IOException {
    long reports = 0;
    for (Path socket : snapts) {
      reports += retry.until(() -> StatusSocket.read(socket).path("reportsPending").asLong());
    }
    return reports;
  }

  /// Returns a table with one row per flow, over all its intervals.
  private static String table(List<Charge> charges) {
    var table =
        new Table()
            .row(
                "application",
                "class",
                "links",
                "bytes",
                "on the wire",
                "saved %",
                "kbit/s",
                "ms",
                "price",
                "charge",
                "discount",
                "fees",
                "refund",
                "net");
    var sorted = new ArrayList<>(flows(charges));
    sorted.sort(Comparator.comparingLong(flow -> -sum(flow, Charge::preBytes)));
    for (List<Charge> flow : sorted) {
      Charge first = flow.getFirst();
      long pre = sum(flow, Charge::preBytes);
      long post = sum(flow, Charge::postBytes);
      table.row(
          first.application(),
          first.serviceClass().replace('_', '&'),
          links(flow),
          Long.toString(pre),
          Long.toString(post),
          number("%.1f", pre == 0 ? 0 : 100.0 * (pre - post) / pre),
          number("%.0f", pre * 8.0 / Math.max(1, sum(flow, Charge::durationMs))),
          number("%.1f", flow.stream().mapToDouble(Charge::delayMs).average().orElse(0)),
          number("%.1e", flow.stream().mapToDouble(Charge::pricePerUnit).average().orElse(0)),
          BillingClient.denarii(sum(flow, Charge::charge)),
          BillingClient.denarii(sum(flow, Charge::discount)),
          BillingClient.denarii(sum(flow, Charge::fees)),
          BillingClient.denarii(sum(flow, Charge::refund)),
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
