package io.viaduct.bridge.reporting;

import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.bridge.configuration.Snapt;
import io.viaduct.usage.Finding;
import io.viaduct.usage.ReportPlausibility;
import io.viaduct.usage.ReportProof;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.TokenKeys;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.util.function.Supplier;

/// Verifies that a report is from the SNAPT that sent it, that it is plausible, and that the
/// account's device took part. The checks in order: length, shape, name, signature, plausibility,
/// token, receipt. Billing decides whether the report can be charged.
public final class ReportVerifier {
  private static final int NAME_CHARACTERS_MAX = 256;

  private final int bytesMax;
  private final Supplier<TokenKeys> tokenKeys;
  private final String audience;

  /// @param bytesMax longest envelope, in bytes
  /// @param tokenKeys keys that the bridge signs tokens with, now or formerly
  /// @param audience group of SNAPTs that tokens must name
  public ReportVerifier(int bytesMax, Supplier<TokenKeys> tokenKeys, String audience) {
    this.bytesMax = bytesMax;
    this.tokenKeys = tokenKeys;
    this.audience = audience;
  }

  /// The result of the verification.
  public sealed interface Outcome {
    record Genuine(UsageReport report) implements Outcome {}

    /// @param report the report as far as it could be read; the acknowledgement names it
    /// @param detail the value and the rule that it breaks, or empty
    record Refused(ReportRefusal reason, UsageReport report, String detail) implements Outcome {
      /// Returns the answer to the SNAPT.
      public ReportAck acknowledgement() {
        String words = "refused by the bridge: " + reason;
        return PendingReport.ack(
            report, reason.verdict(), detail.isEmpty() ? words : words + ": " + detail);
      }
    }
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
    if (!isComplete(report)) {
      return refused(ReportRefusal.INCOMPLETE, report);
    }
    return ReportPlausibility.check(report, sender.bitPerSecond())
        .map(finding -> refused(finding, report))
        .orElseGet(() -> proof(signed, report));
  }

  // A SNAPT of the previous version sends no token. Its reports are passed on; billing holds them
  // for the operator.
  private Outcome proof(SignedUsageReport signed, UsageReport report) {
    return switch (ReportProof.of(signed, report, tokenKeys.get(), audience)) {
      case ReportProof.Signed _, ReportProof.ReceiptOwed _, ReportProof.NoToken _ ->
          new Outcome.Genuine(report);
      case ReportProof.Broken(Finding finding) -> refused(finding, report);
    };
  }

  private static boolean isComplete(UsageReport report) {
    return isName(report.getSessionId()) && isName(report.getAccount());
  }

  private static boolean isName(String text) {
    return !text.isEmpty() && text.length() <= NAME_CHARACTERS_MAX;
  }

  private static Outcome refused(ReportRefusal reason, UsageReport report) {
    return new Outcome.Refused(reason, report, "");
  }

  private static Outcome refused(Finding finding, UsageReport report) {
    return new Outcome.Refused(ReportRefusal.of(finding.flaw()), report, finding.detail());
  }
}
