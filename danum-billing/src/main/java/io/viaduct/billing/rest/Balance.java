package io.viaduct.billing.rest;

import io.viaduct.billing.ledger.MicroDenarii;
import java.time.Instant;

/// What an account has.
///
/// @param postedMicrodenarii sum of its postings
/// @param availableMicrodenarii the same less what is reserved; nothing is, in this version
/// @param asOf when it was read
record Balance(
    String account, String postedMicrodenarii, String availableMicrodenarii, Instant asOf) {
  static Balance of(String account, MicroDenarii posted, Instant asOf) {
    return new Balance(account, posted.toString(), posted.toString(), asOf);
  }
}
