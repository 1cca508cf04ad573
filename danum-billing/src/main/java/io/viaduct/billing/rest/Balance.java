package io.viaduct.billing.rest;

import io.viaduct.billing.credit.AccountCredit;
import java.time.Instant;

/// The balance of an account.
///
/// @param postedMicrodenarii sum of the account's postings
/// @param availableMicrodenarii posted money less reserved money, without the credit limit
/// @param asOf time when the balance was read
record Balance(
    String account, String postedMicrodenarii, String availableMicrodenarii, Instant asOf) {
  static Balance of(AccountCredit credit, Instant asOf) {
    return new Balance(
        credit.account(),
        credit.balance().toString(),
        credit.balance().minus(credit.reserved()).toString(),
        asOf);
  }
}
