package io.viaduct.billing.credit;

import io.viaduct.billing.ledger.MicroDenarii;
import java.time.Instant;

/// A change of an account's credit state, or a cap of the user that was reached.
///
/// @param credit balance and credit limit at the change, without expired wallets
public record CreditNotice(String account, Edge edge, MicroDenarii credit, Instant noticedAt) {
  /// What is noticed: the new state of the credit, or the cap that was reached.
  public enum Edge {
    SUFFICIENT,
    LOW,
    EXHAUSTED,
    CAP_DAY,
    CAP_MONTH
  }
}
