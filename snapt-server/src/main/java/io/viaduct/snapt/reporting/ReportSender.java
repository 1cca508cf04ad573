package io.viaduct.snapt.reporting;

import io.grpc.stub.StreamObserver;
import io.viaduct.service.logging.PeerText;
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

/// Sends the reports of the spool, oldest first, within a bounded window. Sends them again after
/// each reconnect, until the bridge's verdict releases them. A report that waits for its receipt
/// does not delay the others. Owned by the reporting thread.
public final class ReportSender {
  private static final Logger LOG = LoggerFactory.getLogger(ReportSender.class);
  // Time after which an unanswered report is sent again. Billing ignores the duplicate.
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

  /// @param receipt true if the envelope had its receipt, or the reason for its absence; if false,
  ///   a later envelope is sent again
  private record Sent(long atMs, boolean receipt) {}

  /// @param window largest number of unanswered reports
  public ReportSender(ReportSpool spool, Receipts receipts, int window) {
    this.spool = spool;
    this.receipts = receipts;
    this.window = window;
  }

  /// Returns the counts of the bridge's verdicts; any thread may call this.
  public Tally<ReportVerdict> verdicts() {
    return verdicts;
  }

  /// Returns the count of answers to reports that are not in the spool; any thread may call this.
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

  /// Returns true if a stream is open.
  boolean isConnected() {
    return stream != null;
  }

  /// Sends reports, oldest first, as far as the window and the pause allow.
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
        LOG.error(
            "report {} is {}: {}",
            identity.get(),
            ack.getVerdict(),
            PeerText.printable(ack.getReason()));
      }
      case PROVISIONAL -> provisional(identity.get(), answered);
      case DEFERRED, REPORT_VERDICT_UNSPECIFIED, UNRECOGNIZED -> defer(nowMs);
    }
  }

  private void provisional(ReportIdentity identity, @Nullable Sent answered) throws IOException {
    pauseMs = 0;
    boolean signedSince =
        spool.owed().of(identity) == null && answered != null && !answered.receipt();
    if (!signedSince) { // otherwise the report is sent again with its new receipt
      receipts.provisional(identity);
    }
  }

  private void defer(long nowMs) {
    if (nowMs >= pausedUntilMs) {
      pauseMs = Math.clamp(pauseMs * 2, DEFERRED_PAUSE_MS_MIN, DEFERRED_PAUSE_MS_MAX);
      pausedUntilMs = nowMs + pauseMs;
    }
  }
}
