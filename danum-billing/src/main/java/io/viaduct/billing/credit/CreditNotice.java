package io.viaduct.billing.credit;

import io.viaduct.billing.ledger.MicroDenarii;
import java.time.Instant;

/// A change of an account's credit state.
///
/// @param credit balance and credit limit at the change
public record CreditNotice(
    String account, CreditState state, MicroDenarii credit, Instant noticedAt) {}
