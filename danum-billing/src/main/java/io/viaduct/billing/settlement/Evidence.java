package io.viaduct.billing.settlement;

import org.jspecify.annotations.Nullable;

/// The evidence for a report, beside the SNAPT's own signature.
///
/// @param strength what the evidence proves
/// @param envelope serialized SignedUsageReport
/// @param token serialized SignedSessionToken, or null
/// @param device the device's public key in base64url without padding, as the token names it; null
///   without a token
/// @param receipt serialized SignedReceipt of the device, or null
/// @param refusal the device's reason for not signing; null if it gave none
/// @param release the operator's decision that replaces missing evidence; null for a report that no
///   operator released
public record Evidence(
    Strength strength,
    byte[] envelope,
    byte @Nullable [] token,
    @Nullable String device,
    byte @Nullable [] receipt,
    @Nullable Refusal refusal,
    @Nullable Decision release) {
  /// Evidence of a report as received.
  public Evidence(
      Strength strength,
      byte[] envelope,
      byte @Nullable [] token,
      @Nullable String device,
      byte @Nullable [] receipt,
      @Nullable Refusal refusal) {
    this(strength, envelope, token, device, receipt, refusal, null);
  }

  /// The strength of the evidence.
  public enum Strength {
    /// The device has signed, or the report has no bytes to sign for.
    SIGNED,
    /// The token is valid; the device's receipt is missing.
    RECEIPT_OWED,
    /// The report has no token.
    NO_TOKEN,
    /// The token is signed with an unknown key.
    TOKEN_KEY_UNKNOWN,
    /// The device has signed its own report, and the SNAPT's is missing.
    DEVICE_REPORT
  }

  /// The device's reason not to sign, with its own counts of the session so far.
  public record Refusal(String reason, long upBytes, long downBytes) {}

  /// An operator's decision.
  ///
  /// @param operator account of the operator
  /// @param reason reason in the operator's words
  public record Decision(String operator, String reason) {}

  /// Returns true if the report may be settled: the device has signed it, or an operator has
  /// released it.
  boolean isSufficient() {
    return strength == Strength.SIGNED || release != null;
  }

  /// Returns the same evidence with an operator's release.
  public Evidence released(Decision decision) {
    return new Evidence(strength, envelope, token, device, receipt, refusal, decision);
  }
}
