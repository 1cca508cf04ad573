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

/// Collects the receipts of spooled reports (ADR 0024). Asks the devices, processes their answers,
/// and delays the reports that wait for a receipt.
///
/// A report with bytes waits a short time for its receipt, and is then sent without it. Billing may
/// accept such a report provisionally. The report then stays in the spool and is sent again with
/// the receipt. If no receipt arrives within 24 hours of the interval, the spool deletes the
/// report, and the operator decides about it in billing.
///
/// The methods of the first section may be called by any thread, and queue work for the reporting
/// thread. The reporting thread owns all other state.
public final class Receipts {
  /// Most owed receipts that are requested when a device connects. A device without control
  /// connection owes one per interval until its token expires; this is the number of intervals of a
  /// day.
  static final int ASKED_MAX = 1_440;

  private static final Logger LOG = LoggerFactory.getLogger(Receipts.class);
  private static final long PROVISIONAL_MS = Duration.ofHours(24).toMillis();

  private final ReportSpool spool;
  private final ReceiptAsker asker;
  private final long waitMs;
  private final Runnable settleSoon;
  private final LongAdder expired = new LongAdder();
  private final LongAdder notAsked = new LongAdder();
  private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();

  // Used only by the reporting thread. Reports that wait for their receipt, in the order of their
  // deadlines.
  private final Map<ReportIdentity, Long> waiting = new LinkedHashMap<>();
  private final PriorityQueue<Provisional> provisional =
      new PriorityQueue<>(Comparator.comparingLong(Provisional::dropMs));

  private record Provisional(ReportIdentity identity, long dropMs) {}

  /// Work that another thread has queued.
  private interface Answer {
    void take() throws IOException;
  }

  /// @param wait longest time that a report waits for its receipt before it is sent without
  /// @param settleSoon schedules [#settle] on the reporting thread; any thread may run it
  public Receipts(ReportSpool spool, ReceiptAsker asker, Duration wait, Runnable settleSoon) {
    this.spool = spool;
    this.asker = asker;
    this.waitMs = wait.toMillis();
    this.settleSoon = settleSoon;
  }

  // --- any thread

  /// Accepts a receipt of a device.
  ///
  /// @param receipt a verified receipt: its signature is valid, and it names exactly this report
  public void signed(ReportIdentity identity, SignedReceipt receipt) {
    post(() -> {
      waiting.remove(identity);
      if (spool.owed().of(identity) != null) {
        SignedUsageReport.Builder envelope = spool.read(identity).toBuilder();
        spool.add(identity, envelope.clearReceiptRefusal().setReceipt(receipt).build());
      }
    });
  }

  /// Accepts a device's refusal to sign.
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

  /// Stops the report's wait, because its device is not connected.
  public void unreachable(ReportIdentity identity) {
    post(() -> {
      if (waiting.remove(identity) != null) {
        spool.release(identity);
      }
    });
  }

  /// Looks up the receipts that a device owes, oldest first.
  ///
  /// @param device the device's public key, 32 raw bytes
  /// @param taker gets the result, on the reporting thread
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

  /// Returns the number of receipts that devices owe for reports in the spool.
  public int owed() {
    return spool.owed().size();
  }

  /// Counts the reports that were deleted without a receipt, 24 hours after their interval.
  public LongAdder expired() {
    return expired;
  }

  /// Counts the receipts that were not requested because their device owed too many.
  public LongAdder notAsked() {
    return notAsked;
  }

  // --- the reporting thread

  /// Puts one part of an interval into the spool.
  void spool(IntervalUsage usage, UsageReport part, ReportSigner signer, long nowMs)
      throws IOException {
    ReportIdentity identity = ReportIdentity.of(part);
    spool.add(identity, envelope(usage, part, signer));
    if (waitMs > 0 && spool.owed().of(identity) != null) {
      spool.withhold(identity);
      waiting.put(identity, nowMs + waitMs);
    }
  }

  /// Signs one part of an interval. If its device signs no receipts, the envelope states this, so
  /// that none is owed.
  static SignedUsageReport envelope(IntervalUsage usage, UsageReport part, ReportSigner signer) {
    SignedUsageReport envelope = signer.sign(part, usage.token());
    return part.getPreBytes() > 0 && !usage.receipts()
        ? envelope.toBuilder().setReceiptRefusal(notSupported(part)).build()
        : envelope;
  }

  private static ReceiptRefusal notSupported(UsageReport report) {
    return ReceiptRefusal.newBuilder()
        .setSessionId(report.getSessionId())
        .setEpoch(report.getEpoch())
        .setSequence(report.getSequence())
        .setReason(ReceiptRefusalReason.NOT_SUPPORTED)
        .build();
  }

  /// Asks the device for the receipts of an interval that is durably in the spool.
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

  /// Returns the boundary that a device must sign for a report.
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

  /// Handles billing's provisional acceptance of a report. The report stays in the spool only if
  /// its receipt may still arrive.
  void provisional(ReportIdentity identity) throws IOException {
    OwedReceipts.Owed owed = spool.owed().of(identity);
    if (owed == null) {
      spool.acknowledge(identity);
      return;
    }
    spool.withhold(identity);
    provisional.add(new Provisional(identity, owed.endMs() + PROVISIONAL_MS));
  }

  /// Processes the queued answers, and releases the reports whose wait is over.
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
      LOG.warn(
          "report {} has no receipt 24 h after its interval: deleted here, the operator decides about it in billing",
          identity);
    }
  }
}
