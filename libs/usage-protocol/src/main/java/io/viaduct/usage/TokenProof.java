package io.viaduct.usage;

import io.viaduct.usage.v1.SignedSessionToken;
import java.util.Optional;

/// Checks the token that a session shows outside a report.
public final class TokenProof {
  private TokenProof() {}

  /// Returns the flaw of a token; empty if it gives a session of the account authority now. The
  /// validity has the same tolerance as for reports.
  ///
  /// @param audience group of SNAPTs that it must name
  /// @param nowMs Unix milliseconds
  public static Optional<Finding> flaw(
      SignedSessionToken signed, String account, TokenKeys keys, String audience, long nowMs) {
    return ProofCheck.flaw(signed, account, keys, audience, nowMs);
  }
}
