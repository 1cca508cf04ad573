package io.viaduct.testbed.demo;

import io.viaduct.testbed.process.StatusSocket;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.TextDownload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/// Step (a): alice has little credit. Her download is cut when it is used up, and goes on over the
/// same connection after a top-up.
final class CreditStep {
  /// Little credit: at the rate of link A it lasts for some seconds.
  static final long LITTLE = 1_000_000;

  private static final long BYTES = 60_000_000;
  private static final long PAGE = 20_000;
  private static final long SEED = 20_260_101;
  private static final long STANDS_NS = 2_000_000_000L;
  private static final long AT_SNAPT_NS = 1_000_000_000L;

  private final Topology topology;
  private final BillingClient operator;
  private final BillingClient alice;
  private final Path agent;
  private final Retry retry;
  private final LongSupplier nanoTime;

  /// @param agent the agent's status socket
  CreditStep(
      Topology topology,
      BillingClient operator,
      BillingClient alice,
      Path agent,
      Retry retry,
      LongSupplier nanoTime) {
    this.topology = topology;
    this.operator = operator;
    this.alice = alice;
    this.agent = agent;
    this.retry = retry;
    this.nanoTime = nanoTime;
  }

  /// Runs the step.
  ///
  /// @param topUp micro-denarii that alice gets after the cut
  void run(Narration narration, long topUp) throws IOException {
    String path = "/text?seed=%d&bytes=%d".formatted(SEED, BYTES);
    long startNs = nanoTime.getAsLong();
    topology.device.call(
        () -> new TextDownload().run(Topology.SERVER, FarEnd.TEXT_PORT, "/text?bytes=" + PAGE));
    narration.line("alice is told: %s", awaitCredit(credit -> credit.contains("is low")));
    var download = new TextDownload();
    CompletableFuture<TextDownload.Result> result =
        topology.device.start(
            "credit", () -> download.run(Topology.SERVER, FarEnd.TEXT_PORT, path));
    try {
      narration.line("alice is told: %s", awaitCredit(credit -> credit.contains("used up")));
      long usedUpNs = nanoTime.getAsLong() - startNs;
      awaitStandstill(download);
      cut(narration, download, result, Math.round(LITTLE * 1e9 / usedUpNs));
      goesOn(narration, download, result, topUp);
      finish(narration, result);
    } finally {
      download.stop();
    }
  }

  /// Returns what the agent says about its credit, once that is as expected.
  private String awaitCredit(Predicate<String> expected) throws IOException {
    return retry.until(() -> {
      String credit = StatusSocket.read(agent).path("control").path("credit").asString("");
      if (!expected.test(credit)) {
        throw new IOException("the agent says about its credit: '%s'".formatted(credit));
      }
      return credit;
    });
  }

  private void awaitStandstill(TextDownload download) {
    long before = -1;
    while (download.received() != before) {
      before = download.received();
      long endNs = nanoTime.getAsLong() + STANDS_NS;
      while (nanoTime.getAsLong() - endNs < 0) {
        LockSupport.parkNanos(10_000_000);
      }
    }
  }

  private void cut(
      Narration narration,
      TextDownload download,
      CompletableFuture<TextDownload.Result> result,
      long second)
      throws IOException {
    long balance = retry.until(() -> posted(alice.balance("alice")));
    narration.hold(
        !result.isDone() && balance > -second,
        "cut after %.1f MB at a balance of %s den, above that of 1 s more (−%s)",
        download.received() / 1e6,
        BillingClient.denarii(balance),
        BillingClient.denarii(second));
  }

  // The report of the last interval may still be on its way.
  private long posted(long balance) throws IOException {
    if (balance >= LITTLE) {
      throw new IOException("nothing is charged yet");
    }
    return balance;
  }

  private void goesOn(
      Narration narration,
      TextDownload download,
      CompletableFuture<TextDownload.Result> result,
      long topUp)
      throws IOException {
    long before = download.received();
    operator.topUp("alice", topUp, "demo-2");
    long startNs = nanoTime.getAsLong();
    awaitCredit(String::isEmpty);
    long atSnaptNs = nanoTime.getAsLong() - startNs;
    while (download.received() == before && !result.isDone()) {
      LockSupport.parkNanos(1_000_000);
    }
    narration.hold(
        atSnaptNs < AT_SNAPT_NS,
        "a top-up of %s den: the device knows it after %.0f ms, its connection carries again after"
            + " %.0f ms",
        BillingClient.denarii(topUp),
        atSnaptNs / 1e6,
        (nanoTime.getAsLong() - startNs) / 1e6);
  }

  private static void finish(Narration narration, CompletableFuture<TextDownload.Result> pending) {
    TextDownload.Result result = pending.orTimeout(120, TimeUnit.SECONDS).join();
    narration.hold(
        result.sha256().equals(TextDownload.expected(SEED, BYTES)),
        "the same TCP connection (port %d) finished: %.0f MB, SHA-256 equal: %s…",
        result.localPort(),
        result.bytes() / 1e6,
        result.sha256().substring(0, 16));
  }
}
