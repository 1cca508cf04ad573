package io.viaduct.billing.wallet;

import io.viaduct.billing.ledger.MicroDenarii;
import java.time.Instant;

/// A charge that is being posted, or that costs more.
///
/// @param id id of the charge
/// @param beganAt begin of its interval: wallets that had expired before do not pay it
/// @param net what its payer pays, or pays more
public record PaidCharge(long id, String account, Instant beganAt, MicroDenarii net) {}
