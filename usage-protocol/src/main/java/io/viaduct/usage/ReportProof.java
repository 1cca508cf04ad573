package io.viaduct.usage;

import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;

/// Says what the envelope of a usage report proves: that the account's device was there, by its
/// session token and its receipt (ADR 0024).
public sealed interface ReportProof {
  /// The token holds, and the device has signed the byte counts, or there are none to sign.
  record Signed() implements ReportProof {}

  /// The token holds; the device's receipt is owed.
  record ReceiptOwed() implements ReportProof {}

  /// The envelope has no token: its SNAPT is of a version before receipts.
  record NoToken() implements ReportProof {}

  /// A token or a receipt is there and does not hold.
  record Broken(Finding finding) implements ReportProof {}

  /// Judges the proof of a report.
  ///
  /// @param signed the envelope
  /// @param report its report, parsed
  /// @param keys that tokens may be signed with
  /// @param audience group of SNAPTs that tokens must be for
  static ReportProof of(
      SignedUsageReport signed, UsageReport report, TokenKeys keys, String audience) {
    return ProofCheck.judge(signed, report, keys, audience);
  }
}
