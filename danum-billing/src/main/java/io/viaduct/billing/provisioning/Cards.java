package io.viaduct.billing.provisioning;

import io.viaduct.billing.account.AccountState;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.provisioning.UserRefusedException.Reason;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Stores the keys of subscribers' cards, sealed as SIP credentials are. Bridges are told of each
/// change at its commit.
public final class Cards {
  private final JdbcClient jdbc;
  private final TransactionTemplate transaction;
  private final Accounts accounts;
  private final CredentialKeys keys;

  /// Facts about a card that are not secret.
  ///
  /// @param amf 2 bytes
  public record Facts(byte[] amf, Instant changedAt) {}

  public Cards(
      JdbcClient jdbc, TransactionTemplate transaction, Accounts accounts, CredentialKeys keys) {
    this.jdbc = jdbc;
    this.transaction = transaction;
    this.accounts = accounts;
    this.keys = keys;
  }

  /// Gives an account a card, in place of the card that it had.
  ///
  /// @throws UserRefusedException if there is no such account, or it is closed
  public void set(String account, Card card, Instant now) {
    transaction.executeWithoutResult(_ -> {
      requireOpen(account);
      store(account, card, now);
    });
  }

  private void requireOpen(String account) {
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
  }

  private void store(String account, Card card, Instant now) {
    jdbc.sql(
            "insert into sip_card (account, key_id, k_secret, opc_secret, amf, changed_at)"
                + " values (:account, :keyId, :k, :opc, :amf, :changedAt) on conflict (account) do"
                + " update set key_id = excluded.key_id, k_secret = excluded.k_secret,"
                + " opc_secret = excluded.opc_secret, amf = excluded.amf,"
                + " changed_at = excluded.changed_at")
        .param("account", account)
        .param("keyId", keys.currentId())
        .param("k", keys.seal(owner(account, "K"), card.k()))
        .param("opc", keys.seal(owner(account, "OPc"), card.opc()))
        .param("amf", card.amf())
        .param("changedAt", Timestamp.from(now))
        .update();
  }

  /// Takes the card away.
  ///
  /// @return false if the account has none
  public boolean remove(String account) {
    return jdbc.sql("delete from sip_card where account = ?").param(account).update() == 1;
  }

  public Optional<Facts> facts(String account) {
    return jdbc.sql("select amf, changed_at from sip_card where account = ?")
        .param(account)
        .query((row, _) -> new Facts(row.getBytes(1), row.getTimestamp(2).toInstant()))
        .optional();
  }

  /// Returns the card of an account, empty if it has none.
  Optional<Card> find(String account) {
    return jdbc.sql("select key_id, k_secret, opc_secret, amf from sip_card where account = ?")
        .param(account)
        .query((row, _) -> card(account, row, 1))
        .optional();
  }

  /// Opens the card of a row. Its columns from `first` on are key_id, k_secret, opc_secret, amf.
  Card card(String account, ResultSet row, int first) throws SQLException {
    String keyId = row.getString(first);
    return new Card(
        keys.open(keyId, owner(account, "K"), row.getBytes(first + 1)),
        keys.open(keyId, owner(account, "OPc"), row.getBytes(first + 2)),
        row.getBytes(first + 3));
  }

  private static String owner(String account, String key) {
    return account + " card " + key;
  }

  /// Returns the ids of the keys that cards are sealed with.
  List<String> keyIds() {
    return jdbc.sql("select distinct key_id from sip_card").query(String.class).list();
  }

  /// Seals every card of a former key again with the current key.
  ///
  /// @return number of cards that were sealed again
  int renewSeals(Instant now) {
    List<Stored> old =
        jdbc.sql(
                "select account, key_id, k_secret, opc_secret, amf from sip_card where key_id <> ?"
                    + " for update")
            .param(keys.currentId())
            .query((row, _) -> new Stored(row.getString(1), card(row.getString(1), row, 2)))
            .list();
    old.forEach(each -> store(each.account, each.card, now));
    return old.size();
  }

  private record Stored(String account, Card card) {}
}
