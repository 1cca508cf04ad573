package io.viaduct.billing.account;

import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerAccount;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Opens and finds accounts.
public final class Accounts {
  private static final String COLUMNS =
      "select id, display_name, role, state, sip_secret, created_at, version from account ";

  private final JdbcClient jdbc;
  private final TransactionTemplate transaction;
  private final Ledger ledger;
  private final Passwords passwords;

  public Accounts(
      JdbcClient jdbc, TransactionTemplate transaction, Ledger ledger, Passwords passwords) {
    this.jdbc = jdbc;
    this.transaction = transaction;
    this.ledger = ledger;
    this.passwords = passwords;
  }

  /// Opens an account, and its account in the ledger.
  ///
  /// @return the account, or empty if the id is taken, also as a SIP address; then nothing changed
  /// @throws IllegalArgumentException if the id is the name of a service
  public Optional<Account> open(
      String id, String password, Role role, String displayName, Instant now) {
    return insert(id, passwords.hash(password), role, displayName, now);
  }

  /// Opens an account that cannot log in to the pages until it is given a password.
  public Optional<Account> openWithoutPassword(
      String id, String displayName, Role role, Instant now) {
    return insert(id, null, role, displayName, now);
  }

  private Optional<Account> insert(
      String id, @Nullable String hash, Role role, String displayName, Instant now) {
    if (Account.isOfService(id)) {
      throw new IllegalArgumentException(
          "'" + id + "' is the SIP address of a service: give the account another name");
    }
    return transaction.execute(_ -> {
      int inserted =
          jdbc.sql(
                  "insert into account (id, display_name, role, password_hash, created_at)"
                      + " select :id, :displayName, :role, cast(:passwordHash as text),"
                      + " cast(:createdAt as timestamptz)"
                      + " where not exists (select from sip_address where address = :id)"
                      + " on conflict do nothing")
              .param("id", id)
              .param("displayName", displayName)
              .param("role", role.word())
              .param("passwordHash", hash)
              .param("createdAt", Timestamp.from(now))
              .update();
      if (inserted == 0) {
        return Optional.<Account>empty();
      }
      ledger.open(List.of(LedgerAccount.user(id)), now);
      return find(id);
    });
  }

  /// Makes sure that an operator with this password exists. This creates the first operator.
  public void bootstrapOperator(String id, String password, Instant now) {
    // A hash takes some 50 ms, so none is made where the account exists already.
    if (hashOf(id).isEmpty() && open(id, password, Role.OPERATOR, "Operator", now).isPresent()) {
      return;
    }
    if (!matches(id, password)) {
      setPassword(id, password);
    }
    jdbc.sql("update account set role = 'operator' where id = ? and role <> 'operator'")
        .param(id)
        .update();
  }

  /// Returns the names of the bridge's services that accounts have had since before they were
  /// reserved, as id or as further address.
  public List<String> namedAsServices() {
    return jdbc.sql(
            "select id from account where lower(id) in (:names) and state <> 'closed'"
                + " union select address from sip_address where lower(address) in (:names)"
                + " order by 1")
        .param("names", Account.SERVICES)
        .query(String.class)
        .list();
  }

  /// Sets the password of the pages.
  ///
  /// @throws IllegalArgumentException naming the rule that the password breaks
  public void setPassword(String id, String password) {
    jdbc.sql("update account set password_hash = ? where id = ?")
        .param(passwords.hash(password))
        .param(id)
        .update();
  }

  /// Returns true if this is the account's password for the pages.
  public boolean matches(String id, String password) {
    return passwords.matches(password, hashOf(id).orElse(""));
  }

  public void setDisplayName(String id, String displayName) {
    jdbc.sql("update account set display_name = ? where id = ?")
        .param(displayName)
        .param(id)
        .update();
  }

  public void setRole(String id, Role role) {
    jdbc.sql("update account set role = ? where id = ?").param(role.word()).param(id).update();
  }

  /// Sets the state of an account that is not closed.
  public void setState(String id, AccountState state, Instant now) {
    jdbc.sql(
            "update account set state = :state, inactive_since = case when :state = 'active'"
                + " then null else coalesce(inactive_since, cast(:now as timestamptz)) end"
                + " where id = :id")
        .param("state", state.word())
        .param("now", Timestamp.from(now))
        .param("id", id)
        .update();
  }

  public void setSipSecret(String id, SipSecret secret) {
    jdbc.sql("update account set sip_secret = ? where id = ?")
        .param(secret.word())
        .param(id)
        .update();
  }

  /// Closes an account. Its password and its personal data are deleted; its id stays.
  public void close(String id, Instant now) {
    jdbc.sql(
            "update account set state = 'closed', inactive_since = coalesce(inactive_since, ?),"
                + " password_hash = null, sip_secret = 'none', display_name = '' where id = ?")
        .param(Timestamp.from(now))
        .param(id)
        .update();
  }

  /// Returns the account and locks its row until the transaction ends.
  public Optional<Account> lock(String id) {
    return jdbc.sql(COLUMNS + "where id = ? for update")
        .param(id)
        .query((row, _) -> account(row))
        .optional();
  }

  /// Checks a password. Takes equally long if the account does not exist, so that the time reveals
  /// nothing. A right password replaces a hash of an earlier version.
  ///
  /// @throws Passwords.BusyException if too many passwords are being checked
  public Optional<Account> authenticate(String id, String password) {
    Optional<String> hash = hashOf(id);
    if (hash.isEmpty()) {
      passwords.matchDummy(password);
      return Optional.empty();
    }
    if (!passwords.matches(password, hash.get())) {
      return Optional.empty();
    }
    if (passwords.isOutdated(hash.get()) && Passwords.isAcceptable(password)) {
      renewHash(id, password, hash.get());
    }
    return find(id);
  }

  // The former hash in the condition keeps a password that was changed meanwhile.
  private void renewHash(String id, String password, String former) {
    jdbc.sql("update account set password_hash = ? where id = ? and password_hash = ?")
        .params(passwords.hash(password), id, former)
        .update();
  }

  public Optional<Account> find(String id) {
    return jdbc.sql(COLUMNS + "where id = ?").param(id).query((row, _) -> account(row)).optional();
  }

  private Optional<String> hashOf(String id) {
    if (!id.matches(Account.ID_PATTERN)) {
      return Optional.empty(); // PostgreSQL refuses some characters, such as U+0000
    }
    return jdbc.sql("select password_hash from account where id = ? and password_hash is not null")
        .param(id)
        .query(String.class)
        .optional();
  }

  private static Account account(ResultSet row) throws SQLException {
    return new Account(
        row.getString(1),
        row.getString(2),
        Role.of(row.getString(3)),
        AccountState.of(row.getString(4)),
        SipSecret.of(row.getString(5)),
        row.getTimestamp(6).toInstant(),
        row.getLong(7));
  }
}
