package io.viaduct.usage;

import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;

/// States the result of checking a report's token and receipt, which prove that the account's
/// device was present (ADR 0024).
public sealed interface ReportProof {
  /// The token is valid, and the device has signed the byte counts or there are none to sign.
  record Signed() implements ReportProof {}

  /// The token is valid; the device's receipt is missing.
  record ReceiptOwed() implements ReportProof {}

  /// The envelope has no token, because its SNAPT has a version without receipts.
  record NoToken() implements ReportProof {}

  /// The token or the receipt breaks a rule.
  record Broken(Finding finding) implements ReportProof {}

  /// Checks the token and the receipt of a report.
  ///
  /// @param signed the envelope
  /// @param report the report in the envelope, parsed
  /// @param keys valid keys of tokens
  /// @param audience the group of SNAPTs that the token must be for
  static ReportProof of(
      SignedUsageReport signed, UsageReport report, TokenKeys keys, String audience) {
    return ProofCheck.judge(signed, report, keys, audience);
  }
}
