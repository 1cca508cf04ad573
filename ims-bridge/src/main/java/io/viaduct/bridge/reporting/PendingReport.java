package io.viaduct.bridge.reporting;

import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.util.function.Consumer;

/// A verified report that waits for billing's verdict.
///
/// @param acknowledge receives the acknowledgement, once
public record PendingReport(
    SignedUsageReport signed, UsageReport report, Consumer<ReportAck> acknowledge) {
  /// Returns an acknowledgement.
  public static ReportAck ack(UsageReport report, ReportVerdict verdict, String reason) {
    return ReportAck.newBuilder()
        .setSnaptId(report.getSnaptId())
        .setSessionId(report.getSessionId())
        .setEpoch(report.getEpoch())
        .setSequence(report.getSequence())
        .setVerdict(verdict)
        .setReason(reason)
        .build();
  }

  void queued() {
    acknowledge.accept(ack(report, ReportVerdict.QUEUED, ""));
  }

  void defer(String reason) {
    acknowledge.accept(ack(report, ReportVerdict.DEFERRED, reason));
  }

  /// Returns whether an acknowledgement names this report.
  boolean isAnsweredBy(ReportAck ack) {
    return ack.getSnaptId().equals(report.getSnaptId())
        && ack.getSessionId().equals(report.getSessionId())
        && ack.getEpoch() == report.getEpoch()
        && ack.getSequence() == report.getSequence();
  }
}
