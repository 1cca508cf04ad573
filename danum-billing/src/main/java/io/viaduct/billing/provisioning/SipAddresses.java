package io.viaduct.billing.provisioning;

import io.viaduct.billing.account.Account;
import io.viaduct.billing.account.AccountState;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.provisioning.UserRefusedException.Reason;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Stores further SIP addresses of accounts. Bridges are told of each change at its commit.
public final class SipAddresses {
  /// Pattern of the user part of an address: an account's id, or a telephone number with `+`.
  public static final String PATTERN = "[A-Za-z0-9._+-]{1,64}";

  /// Most addresses of an account beside its id.
  public static final int MAX = 16;

  private final JdbcClient jdbc;
  private final TransactionTemplate transaction;
  private final Accounts accounts;

  public SipAddresses(JdbcClient jdbc, TransactionTemplate transaction, Accounts accounts) {
    this.jdbc = jdbc;
    this.transaction = transaction;
    this.accounts = accounts;
  }

  /// Gives an account an address. A second call changes nothing.
  ///
  /// @throws UserRefusedException if there is no such account, it is closed or has [#MAX]
  ///   addresses, or the address is taken
  public void add(String account, String address, Instant now) {
    if (Account.isOfService(address)) {
      throw new UserRefusedException(
          Reason.INVALID, "'" + address + "' is the SIP address of a service: choose another one");
    }
    transaction.executeWithoutResult(_ -> {
      AccountState state =
          accounts
              .lock(account)
              .orElseThrow(() ->
                  new UserRefusedException(Reason.UNKNOWN, "there is no account '" + account + "'"))
              .state();
      if (state == AccountState.CLOSED) {
        throw new UserRefusedException(
            Reason.CLOSED, "account '" + account + "' is closed for ever: make a new one");
      }
      List<String> own = of(account);
      if (own.contains(address)) {
        return;
      }
      if (own.size() >= MAX) {
        throw new UserRefusedException(
            Reason.INVALID,
            "account '%s' has its %d addresses: remove one first".formatted(account, MAX));
      }
      boolean isAdded =
          accounts.find(address).isEmpty()
              && jdbc.sql(
                          "insert into sip_address (address, account, added_at) values (?, ?, ?)"
                              + " on conflict do nothing")
                      .params(address, account, Timestamp.from(now))
                      .update()
                  == 1;
      if (!isAdded) {
        throw new UserRefusedException(
            Reason.INVALID, "the address '" + address + "' belongs to another account");
      }
    });
  }

  /// Takes an address away.
  ///
  /// @return false if the account has no such address
  public boolean remove(String account, String address) {
    return jdbc.sql("delete from sip_address where account = ? and address = ?")
            .params(account, address)
            .update()
        == 1;
  }

  /// Returns the account with an address: that with this id, or with this further address.
  public Optional<String> account(String address) {
    return jdbc.sql(
            "select id from account where id = ? and state <> 'closed'"
                + " union all select account from sip_address where address = ? limit 1")
        .params(address, address)
        .query(String.class)
        .optional();
  }

  /// Returns the addresses of an account beside its id, sorted.
  public List<String> of(String account) {
    return jdbc.sql(
            "select address from sip_address where account = ? order by address collate \"C\"")
        .param(account)
        .query(String.class)
        .list();
  }
}
