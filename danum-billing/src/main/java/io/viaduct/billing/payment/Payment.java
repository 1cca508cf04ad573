package io.viaduct.billing.payment;

import io.viaduct.billing.ledger.MicroDenarii;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A payment that a user has started at the provider.
///
/// @param id random name, which the provider knows it by
/// @param number its place in the list of its account
/// @param state what the provider's events say
/// @param transactionId ledger transaction that posted it; null until it is paid
public record Payment(
    String id,
    long number,
    String account,
    MicroDenarii amount,
    Instant startedAt,
    State state,
    @Nullable Long transactionId) {
  /// States of a payment.
  public enum State {
    /// The user is at the pay page, or has left it.
    STARTED,
    /// The provider has the money, and it is posted.
    PAID,
    /// The provider says that the user did not pay. The user may try again.
    FAILED
  }
}
