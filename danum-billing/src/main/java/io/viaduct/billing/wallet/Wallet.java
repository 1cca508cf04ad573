package io.viaduct.billing.wallet;

import io.viaduct.billing.ledger.MicroDenarii;
import java.time.Instant;

/// Money of an account that expires. Prepaid money is what the balance has beside its wallets.
///
/// @param amount amount at its beginning
/// @param rest amount that is left; zero once it has expired
/// @param isExpired true once its rest was taken back
/// @param reason for the user who gets it
public record Wallet(
    long id,
    String account,
    Kind kind,
    MicroDenarii amount,
    MicroDenarii rest,
    Instant grantedAt,
    Instant expiresAt,
    boolean isExpired,
    String reason) {
  /// Kinds of wallets, as stored.
  public enum Kind {
    /// Given once by an operator.
    GRANT,
    /// Given at the beginning of each month.
    ALLOWANCE
  }

  /// Returns the wallet after a charge has drawn from it.
  Wallet drawn(MicroDenarii drawn) {
    return new Wallet(
        id, account, kind, amount, rest.minus(drawn), grantedAt, expiresAt, isExpired, reason);
  }
}
