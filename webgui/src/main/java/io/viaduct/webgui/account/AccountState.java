package io.viaduct.webgui.account;

import io.viaduct.webgui.billing.AccountCredit;
import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.Charge;
import io.viaduct.webgui.billing.ChargeQuery;
import io.viaduct.webgui.billing.RunningList;
import io.viaduct.webgui.billing.WalletList;
import io.viaduct.webgui.peer.BearerToken;
import java.time.Instant;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The part of an account's page that is kept up to date while it is open.
///
/// @param wallets those with something left
record AccountState(
    AccountCredit credit,
    WalletList wallets,
    Today today,
    RunningList running,
    List<Charge> charges,
    Instant asOf) {
  static AccountState read(
      Billing billing, BearerToken token, String account, int rows, Instant now, ZoneId zone) {
    return new AccountState(
        billing.credit(token, account),
        billing.wallets(token, account),
        Today.read(billing, token, account, now, zone),
        billing.running(token, account),
        billing.charges(token, account, ChargeQuery.newest(rows)).charges(),
        now);
  }

  /// Under the names that the templates use.
  Map<String, Object> variables() {
    Map<String, Object> variables = new HashMap<>();
    variables.put("funds", credit);
    variables.put("wallets", wallets.usable(asOf));
    variables.put("today", today);
    variables.put("running", running.running());
    variables.put("charges", charges);
    return variables;
  }
}
