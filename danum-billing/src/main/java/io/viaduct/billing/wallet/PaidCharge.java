package io.viaduct.billing.wallet;

import io.viaduct.billing.ledger.MicroDenarii;

/// A charge that is being posted.
///
/// @param id id of the charge
/// @param net what its payer pays
public record PaidCharge(long id, String account, MicroDenarii net) {}
