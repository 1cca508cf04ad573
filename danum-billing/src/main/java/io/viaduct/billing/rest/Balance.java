package io.viaduct.billing.rest;

import io.viaduct.billing.ledger.MicroDenarii;
import java.time.Instant;

/// The balance of an account.
///
/// @param postedMicrodenarii sum of the account's postings
/// @param availableMicrodenarii posted money less reserved money; this version reserves none
/// @param asOf time when the balance was read
record Balance(
    String account, String postedMicrodenarii, String availableMicrodenarii, Instant asOf) {
  static Balance of(String account, MicroDenarii posted, Instant asOf) {
    return new Balance(account, posted.toString(), posted.toString(), asOf);
  }
}
