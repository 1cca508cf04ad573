package io.viaduct.testbed.chaos;

import io.viaduct.testbed.demo.BillingClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/// The bill of everything that the load has carried, compared with the count of both applications.
final class Bill {
  /// Usage that a killed SNAPT may lose. It writes open intervals to its log every 50 ms, and a
  /// write waits for the one before it: 100 ms. Twice that time allows for a busy machine.
  static final long UNWRITTEN_MS = 200;

  private static final List<String> ACCOUNTS = List.of("alice", "bob");
  private static final List<String> SNAPTS = List.of("snapt-1", "snapt-2");
  private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(240);
  private static final long QUIET_NS = TimeUnit.SECONDS.toNanos(7); // an interval and more
  private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(500);

  private final ChaosLab lab;
  private final ChaosLog log;
  private final LongSupplier nanoTime;

  Bill(ChaosLab lab, ChaosLog log, LongSupplier nanoTime) {
    this.lab = lab;
    this.log = log;
    this.nanoTime = nanoTime;
  }

  /// Waits until every report is posted, and compares. The load must be paused.
  ///
  /// @return each rule that is broken; empty if the bill is right
  List<String> check() throws IOException {
    List<String> broken = new ArrayList<>(settle());
    BillingClient billing = lab.operator();
    for (CountedLoad load : lab.loads()) {
      compare(load, billing, broken);
    }
    for (String account : ACCOUNTS) {
      long twice = billing.chargedTwice(account);
      require(twice == 0, broken, "%d flow intervals of %s charged twice", twice, account);
    }
    long owed = 0;
    for (String snapt : SNAPTS) {
      owed += lab.receiptsOwed(snapt);
    }
    log.line("           receipts of devices that have gone to another SNAPT: %d", owed);
    int missing = billing.missingReports();
    int refused = billing.refusedReports();
    require(missing == 0, broken, "%d reports missing", missing);
    require(refused == 0, broken, "%d reports refused", refused);
    String invariants = billing.brokenInvariants();
    require(invariants.isEmpty(), broken, "invariants of the ledger: %s", invariants);
    return broken;
  }

  /// Waits until the spools are empty and no charge has come for more than an interval.
  private List<String> settle() throws IOException {
    long endNs = nanoTime.getAsLong() + PATIENCE_NS;
    long quietSinceNs = nanoTime.getAsLong();
    long known = -1;
    BillingClient billing = lab.operator();
    while (true) {
      long charged = charged(billing);
      long pending = pending();
      long nowNs = nanoTime.getAsLong();
      if (charged != known || pending > 0) {
        quietSinceNs = nowNs;
      }
      known = charged;
      if (nowNs - quietSinceNs > QUIET_NS) {
        return List.of();
      }
      if (nowNs - endNs > 0) {
        return List.of("%d reports wait at the SNAPTs after 240 s".formatted(pending));
      }
      LockSupport.parkNanos(PAUSE_NS);
    }
  }

  private static long charged(BillingClient billing) throws IOException {
    long bytes = 0;
    for (String account : ACCOUNTS) {
      bytes += billing.chargedBytes(account);
    }
    return bytes;
  }

  private long pending() throws IOException {
    long reports = 0;
    for (String snapt : SNAPTS) {
      reports += lab.reportsPending(snapt);
    }
    return reports;
  }

  private void compare(CountedLoad load, BillingClient billing, List<String> broken)
      throws IOException {
    long charged = 0;
    for (String account : ACCOUNTS) { // while bob's agent is down, alice's carries his flow
      charged += billing.chargedBytes(account, load.remote());
    }
    CountedLoad.Bounds bounds = load.bounds();
    int kills = lab.deployment.restarts(SNAPTS.toArray(String[]::new));
    long loss = kills * load.bytesIn(UNWRITTEN_MS);
    log.line(
        "           %s: charged %d B; arrived %d B, sent %d B; least allowed %d B (%d deaths of SNAPTs, %d ms each)",
        load.remote(),
        charged,
        bounds.least(),
        bounds.most(),
        bounds.least() - loss,
        kills,
        UNWRITTEN_MS);
    require(
        charged >= bounds.least() - loss,
        broken,
        "%s: %d B are lost, %d B are allowed",
        load.remote(),
        bounds.least() - charged,
        loss);
    require(
        charged <= bounds.most(),
        broken,
        "%s: %d B more are charged than were sent",
        load.remote(),
        charged - bounds.most());
    long repeated = load.echo().repeated();
    require(repeated == 0, broken, "%s: %d packets arrived twice", load.remote(), repeated);
  }

  private static void require(boolean holds, List<String> broken, String format, Object... values) {
    if (!holds) {
      broken.add(format.formatted(values));
    }
  }
}
