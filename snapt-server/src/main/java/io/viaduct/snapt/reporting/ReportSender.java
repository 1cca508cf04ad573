package io.viaduct.snapt.reporting;

import io.grpc.stub.StreamObserver;
import io.viaduct.snapt.operations.Tally;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedUsageReport;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends what waits in the spool, oldest first, a bounded window at a time, again after each
/// reconnect, until the bridge's verdict lets a report go. A report that waits for its receipt lets
/// the others pass. The reporting thread owns it.
public final class ReportSender {
  private static final Logger log = LoggerFactory.getLogger(ReportSender.class);
  // A report without answer for so long goes again; billing takes the second one as the first.
  private static final long ANSWER_MS_MAX = 30_000;
  private static final long DEFERRED_PAUSE_MS_MIN = 500;
  private static final long DEFERRED_PAUSE_MS_MAX = 10_000;

  private final ReportSpool spool;
  private final Receipts receipts;
  private final int window;
  private final Tally<ReportVerdict> verdicts = new Tally<>(ReportVerdict.class);
  private final LongAdder unknownAnswers = new LongAdder();
  private final Map<ReportIdentity, Sent> sent = new HashMap<>();
  private @Nullable StreamObserver<SignedUsageReport> stream;
  private long pauseMs;
  private long pausedUntilMs;

  /// @param receipt whether it had its receipt, or the reason for none: a later envelope goes again
  private record Sent(long atMs, boolean receipt) {}

  /// @param window reports that may be on the way without an answer
  public ReportSender(ReportSpool spool, Receipts receipts, int window) {
    this.spool = spool;
    this.receipts = receipts;
    this.window = window;
  }

  /// How often the bridge answered so; readable from any thread.
  public Tally<ReportVerdict> verdicts() {
    return verdicts;
  }

  /// Answers that name no report which waits here; readable from any thread.
  public LongAdder unknownAnswers() {
    return unknownAnswers;
  }

  void onConnected(StreamObserver<SignedUsageReport> requests) {
    stream = requests;
    sent.clear();
  }

  void onDisconnected() {
    stream = null;
    sent.clear();
  }

  /// Whether a stream is up.
  boolean connected() {
    return stream != null;
  }

  /// Sends as much as window and pause allow, oldest first.
  ///
  /// @throws IOException if a waiting report cannot be read
  void pump(long nowMs) throws IOException {
    if (stream == null || nowMs < pausedUntilMs) {
      return;
    }
    sent.values().removeIf(one -> nowMs - one.atMs() >= ANSWER_MS_MAX);
    Optional<ReportIdentity> report = spool.next(Optional.empty());
    while (report.isPresent() && sent.size() < window) {
      if (!sent.containsKey(report.get())) {
        SignedUsageReport envelope = spool.read(report.get());
        sent.put(report.get(), new Sent(nowMs, spool.owed().of(report.get()) == null));
        stream.onNext(envelope);
      }
      report = spool.next(report);
    }
  }

  void onAnswer(ReportAck ack, long nowMs) throws IOException {
    Optional<ReportIdentity> identity = ReportIdentity.of(ack);
    if (identity.isEmpty() || !spool.holds(identity.get())) {
      unknownAnswers.increment();
      return;
    }
    Sent answered = sent.remove(identity.get());
    verdicts.count(ack.getVerdict());
    switch (ack.getVerdict()) {
      case POSTED, ALREADY_POSTED, HELD -> {
        spool.acknowledge(identity.get());
        pauseMs = 0;
      }
      case CONFLICT, REJECTED -> {
        spool.refuse(identity.get());
        log.error(
            "report {} is {}: {}", identity.get(), ack.getVerdict(), printable(ack.getReason()));
      }
      case PROVISIONAL -> provisional(identity.get(), answered);
      case DEFERRED, REPORT_VERDICT_UNSPECIFIED, UNRECOGNIZED -> defer(nowMs);
    }
  }

  private void provisional(ReportIdentity identity, @Nullable Sent answered) throws IOException {
    pauseMs = 0;
    boolean signedSince =
        spool.owed().of(identity) == null && answered != null && !answered.receipt();
    if (!signedSince) { // else it goes again with what has come meanwhile
      receipts.provisional(identity);
    }
  }

  private void defer(long nowMs) {
    if (nowMs >= pausedUntilMs) {
      pauseMs = Math.clamp(pauseMs * 2, DEFERRED_PAUSE_MS_MIN, DEFERRED_PAUSE_MS_MAX);
      pausedUntilMs = nowMs + pauseMs;
    }
  }

  private static String printable(String words) {
    return words.substring(0, Math.min(words.length(), 200)).replaceAll("\\p{Cntrl}", "?");
  }
}
