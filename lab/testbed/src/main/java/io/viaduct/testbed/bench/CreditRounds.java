package io.viaduct.testbed.bench;

import io.viaduct.testbed.demo.BillingClient;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import tools.jackson.databind.JsonNode;

/// A download that takes the credit of its account again and again. One round is a top-up, a block
/// and its end, some seconds of traffic, and the cut.
final class CreditRounds {
  static final String ACCOUNT = "alice";
  private static final String EXHAUSTED = "exhausted";
  private static final String BLOCKED = "blocked";
  private static final long SETTLED_NS = 1_500_000_000L;
  private static final long STEP_NS = 2_000_000;
  private static final long PATIENCE_NS = 45_000_000_000L; // the download gives up after a minute
  private static final double SECONDS = 4; // of traffic in a round

  /// Credit of the first seconds, in micro-denarii.
  static final long FIRST = 1_000_000;

  private static final long LEAST = 500_000;

  private final BenchEnvironment environment;
  private final BillingClient operator;
  private final LongDownload download;
  private final LongSupplier nanoTime;
  private long amount = FIRST;
  private long topUps;

  /// One round. Each time begins before the operator's request is sent.
  ///
  /// @param snaptMs from the top-up until the SNAPT carries the account again
  /// @param deviceMs the same until the device knows it
  /// @param firstByteMs the same until the download that was cut gets its next byte; the server's
  ///   TCP sends again when its retransmission timer ends, which has backed off during the cut
  /// @param blockedMs from a block until the SNAPT refuses the account
  /// @param liftedMs from its end until the SNAPT carries the account again
  /// @param overshootSeconds what was carried beyond the credit, in seconds of the traffic before
  record Round(
      double snaptMs,
      double deviceMs,
      double firstByteMs,
      double blockedMs,
      double liftedMs,
      double overshootSeconds) {}

  CreditRounds(
      BenchEnvironment environment,
      BillingClient operator,
      LongDownload download,
      LongSupplier nanoTime) {
    this.environment = environment;
    this.operator = operator;
    this.download = download;
    this.nanoTime = nanoTime;
  }

  /// Runs one round, on an account without credit.
  Round run() throws Exception {
    long before = balance();
    long added = amount - Math.min(0, before);
    long received = download.received();
    long toppedUpNs = nanoTime.getAsLong();
    operator.topUp(ACCOUNT, added, "credit-" + topUps++);
    double snaptMs = Double.NaN;
    double deviceMs = Double.NaN;
    double firstByteMs = Double.NaN;
    while (Double.isNaN(snaptMs + deviceMs + firstByteMs)) {
      if (Double.isNaN(snaptMs) && !snaptSays(EXHAUSTED)) {
        snaptMs = since(toppedUpNs);
      }
      if (Double.isNaN(deviceMs) && !isCutAtDevice()) {
        deviceMs = since(toppedUpNs);
      }
      if (Double.isNaN(firstByteMs) && download.received() != received) {
        firstByteMs = since(toppedUpNs);
      }
      require(toppedUpNs, "the top-up has not arrived");
    }
    awaitTraffic();
    long goesNs = nanoTime.getAsLong();
    operator.block(ACCOUNT, true);
    long standsNs = nanoTime.getAsLong();
    await(() -> snaptSays(BLOCKED), "the block has not arrived");
    double blockedMs = since(goesNs);
    long liftedNs = nanoTime.getAsLong();
    operator.block(ACCOUNT, false);
    await(() -> !snaptSays(BLOCKED), "the end of the block has not arrived");
    double liftedMs = since(liftedNs);
    awaitTraffic();
    long stoodNs = nanoTime.getAsLong() - standsNs;
    awaitCut();
    double seconds = (download.lastReceivedNs() - goesNs - stoodNs) / 1e9;
    long after = balance();
    double perSecond = (before + added - after) / seconds;
    amount = Math.max(LEAST, (long) (perSecond * SECONDS));
    return new Round(
        snaptMs, deviceMs, firstByteMs, blockedMs, liftedMs, Math.max(0, -after) / perSecond);
  }

  private double since(long startNs) {
    return (nanoTime.getAsLong() - startNs) / 1e6;
  }

  private void awaitTraffic() throws Exception {
    long received = download.received();
    await(() -> download.received() > received, "the download does not go on");
  }

  /// Uses up what is left, and finds what a second costs at the present rate.
  void calibrate() throws Exception {
    awaitCut();
    run();
  }

  // Waits until the credit is used up and all that was carried is charged. That takes longer than
  // planned if the machine carries less than in the round before, so what counts is that the
  // download goes on.
  private void awaitCut() throws Exception {
    long received = download.received();
    long goesNs = nanoTime.getAsLong();
    while (!snaptSays(EXHAUSTED)) {
      download.awaitBytes(STEP_NS);
      if (download.received() != received) {
        received = download.received();
        goesNs = nanoTime.getAsLong();
      }
      require(goesNs, "the download stands still, and the account is not cut");
    }
    await(this::isSettled, "the last report is not charged");
  }

  // A last small grant may still follow the first cut; what counts is the state that stays.
  private boolean isSettled() throws IOException {
    long balance = balance();
    long received = download.received();
    long endNs = nanoTime.getAsLong() + SETTLED_NS;
    while (nanoTime.getAsLong() - endNs < 0) {
      LockSupport.parkNanos(STEP_NS);
    }
    return snaptSays(EXHAUSTED) && download.received() == received && balance() == balance;
  }

  private long balance() throws IOException {
    return operator.balance(ACCOUNT);
  }

  private boolean snaptSays(String credit) throws IOException {
    for (JsonNode session : environment.status("snapt-1").path("sessions")) {
      if (session.path("credit").asString("").equals(credit)) {
        return true;
      }
    }
    return false;
  }

  private boolean isCutAtDevice() throws IOException {
    return environment.status("cnapt").path("control").path("credit").asString("").contains("used");
  }

  private void await(Callable<Boolean> condition, String otherwise) throws Exception {
    long startNs = nanoTime.getAsLong();
    while (!condition.call()) {
      download.awaitBytes(STEP_NS);
      require(startNs, otherwise);
    }
  }

  private void require(long startNs, String otherwise) throws IOException {
    if (nanoTime.getAsLong() - startNs > PATIENCE_NS) {
      environment.keep("snapt-1");
      environment.keep("cnapt");
      environment.keepConnections();
      throw new IllegalStateException(
          "%s after 45 s; balance %d, received %d"
              .formatted(otherwise, balance(), download.received()));
    }
  }
}
