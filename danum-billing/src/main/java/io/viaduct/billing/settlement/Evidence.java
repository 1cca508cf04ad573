package io.viaduct.billing.settlement;

import org.jspecify.annotations.Nullable;

/// Holds what stands behind a report beside the SNAPT's own signature, and the bytes that show it.
///
/// @param strength what it is worth
/// @param envelope serialized SignedUsageReport
/// @param token serialized SignedSessionToken; null where there is none
/// @param receipt serialized SignedReceipt of the device; null where there is none
/// @param refusal why the device did not sign; null where it did not say
/// @param release the operator's decision that stands in for what is missing; null for reports as
///   they come
public record Evidence(
    Strength strength,
    byte[] envelope,
    byte @Nullable [] token,
    byte @Nullable [] receipt,
    @Nullable Refusal refusal,
    @Nullable Decision release) {
  /// Evidence of a report as it comes.
  public Evidence(
      Strength strength,
      byte[] envelope,
      byte @Nullable [] token,
      byte @Nullable [] receipt,
      @Nullable Refusal refusal) {
    this(strength, envelope, token, receipt, refusal, null);
  }

  /// What the evidence is worth.
  public enum Strength {
    /// The device has signed, or there are no bytes to sign.
    SIGNED,
    /// The token holds, the device's receipt is owed.
    RECEIPT_OWED,
    /// There is no token.
    NO_TOKEN,
    /// There is a token of an unknown key.
    TOKEN_KEY_UNKNOWN
  }

  /// The device's reason not to sign, with its own counts of the session so far.
  public record Refusal(String reason, long upBytes, long downBytes) {}

  /// An operator's decision.
  ///
  /// @param by account of the operator
  /// @param reason in the operator's words
  public record Decision(String by, String reason) {}

  /// Whether the report may be settled: the device or an operator stands behind it.
  boolean isSufficient() {
    return strength == Strength.SIGNED || release != null;
  }

  /// Returns the same evidence with an operator behind it.
  public Evidence released(Decision decision) {
    return new Evidence(strength, envelope, token, receipt, refusal, decision);
  }
}
