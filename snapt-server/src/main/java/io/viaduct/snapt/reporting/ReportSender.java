package io.viaduct.snapt.reporting;

import io.grpc.stub.StreamObserver;
import io.viaduct.service.logging.PeerText;
import io.viaduct.service.operations.Tally;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedUsageReport;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends the reports of the spool, oldest first, within a bounded window. Sends them again after
/// each reconnect, until the bridge's verdict releases them. A report that waits for its receipt,
/// or is queued on its way to billing (ADR 0051), does not delay the others. Owned by the reporting
/// thread.
public final class ReportSender {
  private static final Logger LOG = LoggerFactory.getLogger(ReportSender.class);
  // Time after which an unanswered report is sent again. Billing ignores the duplicate.
  private static final long ANSWER_MS_MAX = 30_000;
  // Time after which a queued report without a verdict is sent again: the broker or the bridge may
  // have lost the report or its verdict.
  static final long QUEUED_MS_MAX = Duration.ofMinutes(10).toMillis();
  private static final long DEFERRED_PAUSE_MS_MIN = 500;
  private static final long DEFERRED_PAUSE_MS_MAX = 10_000;

  private final ReportSpool spool;
  private final Receipts receipts;
  private final int window;
  private final Tally<ReportVerdict> verdicts = new Tally<>(ReportVerdict.class);
  private final LongAdder unknownAnswers = new LongAdder();
  private final Map<ReportIdentity, Sent> sent = new HashMap<>();
  // Reports that are queued on their way to billing, oldest first, with the time of the answer.
  private final Map<ReportIdentity, Long> queued = new LinkedHashMap<>();
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
    releaseQueued(Long.MAX_VALUE);
  }

  void onDisconnected() {
    stream = null;
    sent.clear();
  }

  // Allows the reports to be sent again that were queued before this time.
  private void releaseQueued(long beforeMs) {
    Iterator<Map.Entry<ReportIdentity, Long>> oldest = queued.entrySet().iterator();
    while (oldest.hasNext()) {
      Map.Entry<ReportIdentity, Long> next = oldest.next();
      if (next.getValue() >= beforeMs) {
        return;
      }
      oldest.remove();
      spool.release(next.getKey());
    }
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
    releaseQueued(nowMs - QUEUED_MS_MAX);
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
        queued.remove(identity.get());
        spool.acknowledge(identity.get());
        pauseMs = 0;
      }
      case QUEUED -> queued(identity.get(), answered, nowMs);
      case CONFLICT, REJECTED -> {
        queued.remove(identity.get());
        spool.refuse(identity.get());
        LOG.error(
            "report {} is {}: {}",
            identity.get(),
            ack.getVerdict(),
            PeerText.printable(ack.getReason()));
      }
      case PROVISIONAL -> provisional(identity.get(), answered);
      case DEFERRED, REPORT_VERDICT_UNSPECIFIED, UNRECOGNIZED -> {
        if (queued.remove(identity.get()) != null) {
          spool.release(identity.get());
        }
        defer(nowMs);
      }
    }
  }

  // Billing's verdict may overtake the broker's answer, which then means nothing any more. A report
  // whose receipt has come since is sent again with it.
  private void queued(ReportIdentity identity, @Nullable Sent answered, long nowMs) {
    pauseMs = 0;
    if (answered != null && !isSignedSince(identity, answered)) {
      queued.remove(identity); // so that it becomes the newest
      queued.put(identity, nowMs);
      spool.withhold(identity);
    }
  }

  private void provisional(ReportIdentity identity, @Nullable Sent answered) throws IOException {
    pauseMs = 0;
    if (queued.containsKey(identity)
        && spool.owed().of(identity) == null
        && spool.read(identity).hasReceipt()) {
      return; // the verdict on an earlier envelope, without the receipt: its own one follows
    }
    queued.remove(identity);
    if (!isSignedSince(identity, answered)) { // otherwise it is sent again with its new receipt
      receipts.provisional(identity);
    }
  }

  private boolean isSignedSince(ReportIdentity identity, @Nullable Sent answered) {
    return spool.owed().of(identity) == null && answered != null && !answered.receipt();
  }

  private void defer(long nowMs) {
    if (nowMs >= pausedUntilMs) {
      pauseMs = Math.clamp(pauseMs * 2, DEFERRED_PAUSE_MS_MIN, DEFERRED_PAUSE_MS_MAX);
      pausedUntilMs = nowMs + pauseMs;
    }
  }
}
