package io.viaduct.billing.provisioning;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Stores the sealed H(A1) of each user. Without the key file, the database reveals no credential.
public final class SipCredentials {
  private static final String COLUMNS =
      "select account, realm, key_id, ha1_sha256, ha1_md5 from sip_credential ";

  private final JdbcClient jdbc;
  private final TransactionTemplate transaction;
  private final CredentialKeys keys;
  private final Cards cards;
  private final String realm;

  /// Stores credentials of one realm.
  ///
  /// @param realm the SIP domain, part of every H(A1)
  public SipCredentials(
      JdbcClient jdbc,
      TransactionTemplate transaction,
      CredentialKeys keys,
      Cards cards,
      String realm) {
    this.jdbc = jdbc;
    this.transaction = transaction;
    this.keys = keys;
    this.cards = cards;
    this.realm = realm;
  }

  /// Returns the domain that credentials are derived for.
  public String realm() {
    return realm;
  }

  /// Derives the credentials from a password and stores them.
  void setPassword(String account, String password, Instant now) {
    set(account, Ha1.of(account, realm, password), now);
  }

  void set(String account, Ha1 ha1, Instant now) {
    store(account, realm, ha1, now);
  }

  private void store(String account, String storedRealm, Ha1 ha1, Instant now) {
    jdbc.sql(
            "insert into sip_credential (account, realm, key_id, ha1_sha256, ha1_md5, changed_at)"
                + " values (:account, :realm, :keyId, :ha1Sha256, :ha1Md5, :changedAt) on conflict (account) do update set realm = excluded.realm,"
                + " key_id = excluded.key_id, ha1_sha256 = excluded.ha1_sha256,"
                + " ha1_md5 = excluded.ha1_md5, changed_at = excluded.changed_at")
        .param("account", account)
        .param("realm", storedRealm)
        .param("keyId", keys.currentId())
        .param("ha1Sha256", sealed(account, storedRealm, "SHA-256", ha1.sha256()))
        .param("ha1Md5", sealed(account, storedRealm, "MD5", ha1.md5()))
        .param("changedAt", Timestamp.from(now))
        .update();
  }

  void remove(String account) {
    jdbc.sql("delete from sip_credential where account = ?").param(account).update();
  }

  /// Returns the credentials of a user for this realm.
  Optional<Ha1> find(String account) {
    return jdbc.sql(COLUMNS + "where account = ? and realm = ?")
        .param(account)
        .param(realm)
        .query((row, _) -> ha1(row, 1))
        .optional();
  }

  /// Seals every credential and every card of a former key again with the current key. This is how
  /// the key is changed.
  ///
  /// @return number of credentials that were sealed again
  /// @throws UnknownKeyException if any credential was sealed with a key that is not configured;
  ///   then nothing changed
  public int renewSeals(Instant now) throws UnknownKeyException {
    List<String> unknown =
        Stream.concat(
                jdbc
                    .sql("select distinct key_id from sip_credential")
                    .query(String.class)
                    .list()
                    .stream(),
                cards.keyIds().stream())
            .distinct()
            .filter(id -> !keys.ids().contains(id))
            .toList();
    if (!unknown.isEmpty()) {
      throw new UnknownKeyException(
          "SIP credentials are sealed with key %s, and credentials.key-file holds key %s: restore the former key file, or name it in credentials.former-key-files"
              .formatted(String.join(", ", unknown), keys.currentId()));
    }
    Integer renewed =
        transaction.execute(_ -> {
          List<Stored> old =
              jdbc.sql(COLUMNS + "where key_id <> ? for update")
                  .param(keys.currentId())
                  .query((row, _) -> new Stored(row.getString(1), row.getString(2), ha1(row, 1)))
                  .list();
          old.forEach(each -> store(each.account, each.realm, each.ha1, now));
          return old.size() + cards.renewSeals(now);
        });
    return renewed == null ? 0 : renewed;
  }

  private record Stored(String account, String realm, Ha1 ha1) {}

  /// Opens the credentials of a row. Its columns from `first` on are account, realm, key_id,
  /// ha1_sha256, ha1_md5.
  Ha1 ha1(ResultSet row, int first) throws SQLException {
    String account = row.getString(first);
    String storedRealm = row.getString(first + 1);
    String keyId = row.getString(first + 2);
    return new Ha1(
        opened(account, storedRealm, "SHA-256", keyId, row.getBytes(first + 3)),
        opened(account, storedRealm, "MD5", keyId, row.getBytes(first + 4)));
  }

  private byte @Nullable [] sealed(
      String account, String storedRealm, String algorithm, byte @Nullable [] ha1) {
    return ha1 == null ? null : keys.seal(owner(account, storedRealm, algorithm), ha1);
  }

  private byte @Nullable [] opened(
      String account,
      String storedRealm,
      String algorithm,
      String keyId,
      byte @Nullable [] sealed) {
    return sealed == null ? null : keys.open(keyId, owner(account, storedRealm, algorithm), sealed);
  }

  private static String owner(String account, String storedRealm, String algorithm) {
    return account + "@" + storedRealm + " " + algorithm;
  }

  /// Thrown if credentials were sealed with a key that is not configured.
  public static final class UnknownKeyException extends Exception {
    private static final long serialVersionUID = 1L;

    UnknownKeyException(String message) {
      super(message);
    }
  }
}
