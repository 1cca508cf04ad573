package io.viaduct.webgui.account;

import io.viaduct.webgui.billing.Balance;
import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.Charge;
import io.viaduct.webgui.billing.ChargeQuery;
import io.viaduct.webgui.peer.BearerToken;
import java.util.List;
import java.util.Map;

/// The part of an account's pages that is kept up to date while they are open.
record AccountState(Balance balance, List<Charge> charges) {
  static AccountState read(Billing billing, BearerToken token, String account, int rows) {
    return new AccountState(
        billing.balance(token, account),
        billing.charges(token, account, ChargeQuery.newest(rows)).charges());
  }

  /// Under the names that the templates use.
  Map<String, Object> variables() {
    return Map.of("balance", balance, "charges", charges);
  }
}
