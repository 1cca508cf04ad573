package io.viaduct.billing.payment;

import io.viaduct.billing.ledger.MicroDenarii;

/// Message of the provider about a payment.
///
/// @param id the provider's id of the event; the same one in each delivery
/// @param digest SHA-256 of the body
/// @param isPaid true if the provider has the money, false if the user did not pay
/// @param payment id of the payment
/// @param account account that it is for
/// @param amount amount that was paid
public record PaymentEvent(
    String id,
    byte[] digest,
    boolean isPaid,
    String payment,
    String account,
    MicroDenarii amount) {}
