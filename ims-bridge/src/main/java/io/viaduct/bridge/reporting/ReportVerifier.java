package io.viaduct.bridge.reporting;

import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.bridge.BridgeConfiguration.Snapt;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;

/// Checks that a report is from the SNAPT that sent it: length, shape, name, signature, in this
/// order. Whether it can be billed is for billing to say.
public final class ReportVerifier {
  private static final int NAME_CHARACTERS_MAX = 256;

  private final int bytesMax;

  public ReportVerifier(int bytesMax) {
    this.bytesMax = bytesMax;
  }

  /// What the check found.
  public sealed interface Outcome {
    record Genuine(UsageReport report) implements Outcome {}

    /// @param report as far as it could be read, for the acknowledgement
    record Refused(ReportRefusal reason, UsageReport report) implements Outcome {}
  }

  public Outcome verify(Snapt sender, SignedUsageReport signed) {
    if (signed.getSerializedSize() > bytesMax) {
      return refused(ReportRefusal.TOO_LONG, UsageReport.getDefaultInstance());
    }
    UsageReport report;
    try {
      report = UsageReport.parseFrom(signed.getReport());
    } catch (InvalidProtocolBufferException e) {
      return refused(ReportRefusal.MALFORMED, UsageReport.getDefaultInstance());
    }
    if (!report.getSnaptId().equals(sender.id())) {
      return refused(ReportRefusal.FOREIGN_SNAPT, report);
    }
    if (!SignedMessage.USAGE_REPORT.isSignedBy(
        sender.key(), signed.getReport(), signed.getSignature())) {
      return refused(ReportRefusal.WRONG_SIGNATURE, report);
    }
    return isComplete(report)
        ? new Outcome.Genuine(report)
        : refused(ReportRefusal.INCOMPLETE, report);
  }

  private static boolean isComplete(UsageReport report) {
    return isName(report.getSessionId())
        && isName(report.getAccount())
        && report.getSequence() >= 0
        && report.getEndMs() >= report.getStartMs();
  }

  private static boolean isName(String text) {
    return !text.isEmpty() && text.length() <= NAME_CHARACTERS_MAX;
  }

  private static Outcome refused(ReportRefusal reason, UsageReport report) {
    return new Outcome.Refused(reason, report);
  }
}
