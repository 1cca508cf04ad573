package io.viaduct.snapt.reporting;

import com.google.protobuf.ByteString;
import io.viaduct.snapt.metering.IntervalUsage;
import io.viaduct.tunnel.control.v1.IntervalBoundary;
import io.viaduct.usage.v1.ReceiptRefusal;
import io.viaduct.usage.v1.ReceiptRefusalReason;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedReceipt;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The receipts of spooled reports (ADR 0024): which devices are asked, what becomes of the
/// answers, and which reports wait for one.
///
/// A report with bytes waits a moment for its receipt, then it is sent without. Billing may answer
/// that it has the report provisionally: then the report stays in the spool, and is sent again with
/// the receipt. 24 hours after its interval it is forgotten: the operator decides.
///
/// The methods that say so take calls from any thread and leave the work to the reporting thread,
/// which owns the rest.
public final class Receipts {
  /// Boundaries that one device is asked at a connection. A device without control connection owes
  /// one per interval until its token expires: this is a day's worth of those.
  static final int ASKED_MAX = 1_440;

  private static final Logger log = LoggerFactory.getLogger(Receipts.class);
  private static final long PROVISIONAL_MS = Duration.ofHours(24).toMillis();

  private final ReportSpool spool;
  private final ReceiptAsker asker;
  private final long waitMs;
  private final Runnable settleSoon;
  private final LongAdder expired = new LongAdder();
  private final LongAdder notAsked = new LongAdder();
  private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();

  // The reporting thread alone. Reports that wait for their receipt, in the order of their
  // deadlines.
  private final Map<ReportIdentity, Long> waiting = new LinkedHashMap<>();
  private final PriorityQueue<Provisional> provisional =
      new PriorityQueue<>(Comparator.comparingLong(Provisional::dropMs));

  private record Provisional(ReportIdentity identity, long dropMs) {}

  /// Work that another thread has left.
  private interface Answer {
    void take() throws IOException;
  }

  /// @param wait how long a report waits for its receipt before it is sent without
  /// @param settleSoon asks the reporting thread for [#settle]; any thread
  public Receipts(ReportSpool spool, ReceiptAsker asker, Duration wait, Runnable settleSoon) {
    this.spool = spool;
    this.asker = asker;
    this.waitMs = wait.toMillis();
    this.settleSoon = settleSoon;
  }

  // --- any thread

  /// A device has signed.
  ///
  /// @param receipt checked: its signature holds, and it names exactly this report
  public void signed(ReportIdentity identity, SignedReceipt receipt) {
    post(() -> {
      waiting.remove(identity);
      if (spool.owed().of(identity) != null) {
        SignedUsageReport.Builder envelope = spool.read(identity).toBuilder();
        spool.add(identity, envelope.clearReceiptRefusal().setReceipt(receipt).build());
      }
    });
  }

  /// A device has said why it does not sign.
  public void refused(ReportIdentity identity, ReceiptRefusal refusal) {
    post(() -> {
      waiting.remove(identity);
      if (spool.owed().of(identity) == null) {
        return;
      }
      SignedUsageReport envelope = spool.read(identity);
      if (envelope.getReceiptRefusal().getReason() != refusal.getReason()) {
        spool.add(identity, envelope.toBuilder().setReceiptRefusal(refusal).build());
      }
    });
  }

  /// A device is not there to sign: the report does not wait for it.
  public void unreachable(ReportIdentity identity) {
    post(() -> {
      if (waiting.remove(identity) != null) {
        spool.release(identity);
      }
    });
  }

  /// Tells what a device owes, oldest first.
  ///
  /// @param device public key, 32 bytes raw
  /// @param taker called on the reporting thread
  public void owedBy(ByteString device, Consumer<List<IntervalBoundary>> taker) {
    post(() -> {
      List<IntervalBoundary> boundaries = new ArrayList<>();
      for (ReportIdentity identity : spool.owed().of(device, ASKED_MAX)) {
        boundaries.add(boundary(UsageReport.parseFrom(spool.read(identity).getReport())));
      }
      notAsked.add(spool.owed().count(device) - boundaries.size());
      taker.accept(boundaries);
    });
  }

  private void post(Answer answer) {
    answers.add(answer);
    settleSoon.run();
  }

  /// Receipts that devices owe for reports in the spool.
  public int owed() {
    return spool.owed().size();
  }

  /// Reports that were forgotten without receipt, 24 hours after their interval.
  public LongAdder expired() {
    return expired;
  }

  /// How often a boundary was not asked for because its device owed too many.
  public LongAdder notAsked() {
    return notAsked;
  }

  // --- the reporting thread

  /// Puts one part of an interval into the spool.
  void spool(IntervalUsage usage, UsageReport part, ReportSigner signer, long nowMs)
      throws IOException {
    ReportIdentity identity = ReportIdentity.of(part);
    SignedUsageReport envelope = signer.sign(part, usage.token());
    if (part.getPreBytes() > 0 && !usage.receipts()) {
      envelope = envelope.toBuilder().setReceiptRefusal(notSupported(part)).build();
    }
    spool.add(identity, envelope);
    if (waitMs > 0 && spool.owed().of(identity) != null) {
      spool.withhold(identity);
      waiting.put(identity, nowMs + waitMs);
    }
  }

  private static ReceiptRefusal notSupported(UsageReport report) {
    return ReceiptRefusal.newBuilder()
        .setSessionId(report.getSessionId())
        .setEpoch(report.getEpoch())
        .setSequence(report.getSequence())
        .setReason(ReceiptRefusalReason.NOT_SUPPORTED)
        .build();
  }

  /// An interval is durably in the spool: its device is asked.
  void ask(IntervalUsage usage, List<UsageReport> parts) throws IOException {
    if (!usage.receipts() || usage.token().getToken().isEmpty()) {
      return;
    }
    ByteString device = SessionToken.parseFrom(usage.token().getToken()).getDeviceKey();
    asker.ask(
        device,
        usage.report().getSessionId(),
        parts.stream().filter(part -> part.getPreBytes() > 0).map(Receipts::boundary).toList(),
        usage.report().getLast());
  }

  /// What a device is asked to sign for a report.
  static IntervalBoundary boundary(UsageReport report) {
    return IntervalBoundary.newBuilder()
        .setSessionId(report.getSessionId())
        .setEpoch(report.getEpoch())
        .setSequence(report.getSequence())
        .setStartMs(report.getStartMs())
        .setEndMs(report.getEndMs())
        .setUpBytes(report.getFlowsList().stream().mapToLong(f -> f.getUp().getPreBytes()).sum())
        .setDownBytes(
            report.getFlowsList().stream().mapToLong(f -> f.getDown().getPreBytes()).sum())
        .build();
  }

  /// Billing has a report provisionally. Without a receipt that may still come it is forgotten.
  void provisional(ReportIdentity identity) throws IOException {
    OwedReceipts.Owed owed = spool.owed().of(identity);
    if (owed == null) {
      spool.acknowledge(identity);
      return;
    }
    spool.withhold(identity);
    provisional.add(new Provisional(identity, owed.endMs() + PROVISIONAL_MS));
  }

  /// Takes the answers, and lets go what has waited long enough.
  public void settle(long nowMs) throws IOException {
    for (Answer answer = answers.poll(); answer != null; answer = answers.poll()) {
      answer.take();
    }
    while (!waiting.isEmpty()) {
      var first = waiting.entrySet().iterator().next();
      if (first.getValue() > nowMs) {
        break;
      }
      waiting.remove(first.getKey());
      spool.release(first.getKey());
    }
    for (Provisional next = provisional.peek();
        next != null && next.dropMs() <= nowMs;
        next = provisional.peek()) {
      provisional.remove();
      drop(next.identity());
    }
  }

  private void drop(ReportIdentity identity) throws IOException {
    if (spool.owed().of(identity) != null && spool.acknowledge(identity)) {
      expired.increment();
      log.warn(
          "report {} has no receipt 24 h after its interval: forgotten here, the operator decides",
          identity);
    }
  }
}
