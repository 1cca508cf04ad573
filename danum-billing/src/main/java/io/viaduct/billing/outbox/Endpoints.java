package io.viaduct.billing.outbox;

import io.viaduct.billing.account.SecretToken;
import io.viaduct.billing.provisioning.CredentialKeys;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Stores the endpoints of webhooks. Their secrets are sealed by the credential key.
public final class Endpoints {
  /// Beginning of each secret, so that people and scanners of leaked secrets recognise one.
  public static final String PREFIX = "vds_";

  /// Most endpoints of one account.
  public static final int ENDPOINTS_MAX = 10;

  /// The former secret signs for so long after a rotation.
  public static final Duration ROTATION = Duration.ofHours(24);

  private static final String COLUMNS =
      "id, account, all_accounts, url, description, array_to_string(events, ','), state, failures,"
          + " version, created_at";

  private final JdbcClient jdbc;
  private final TransactionTemplate transaction;
  private final CredentialKeys keys;
  private final SecureRandom random = new SecureRandom();

  public Endpoints(JdbcClient jdbc, TransactionTemplate transaction, CredentialKeys keys) {
    this.jdbc = jdbc;
    this.transaction = transaction;
    this.keys = keys;
  }

  /// The state of an endpoint.
  public enum State {
    ACTIVE,
    /// Too many deliveries were given up. It gets no new events until somebody enables it.
    DISABLED
  }

  /// An endpoint.
  ///
  /// @param allAccounts true if it gets the events of every account
  /// @param failures deliveries that were given up since the last that succeeded
  public record Endpoint(
      long id,
      String account,
      boolean allAccounts,
      String url,
      String description,
      List<String> events,
      State state,
      int failures,
      long version,
      Instant createdAt) {}

  /// The settings that an endpoint is to have.
  public record Wanted(boolean allAccounts, String url, String description, List<String> events) {}

  /// A new endpoint or secret. The secret is not shown again.
  public record WithSecret(String secret, Endpoint endpoint) {
    @Override
    public String toString() {
      return "WithSecret[secret=(secret), endpoint=" + endpoint + "]";
    }
  }

  /// Makes an endpoint.
  ///
  /// @return empty if the account has [#ENDPOINTS_MAX]
  public Optional<WithSecret> create(String account, Wanted wanted, Instant now) {
    String secret = PREFIX + SecretToken.draw(random);
    return transaction.execute(_ -> {
      jdbc.sql("select id from account where id = ? for update").param(account).query(_ -> {});
      if (list(account).size() >= ENDPOINTS_MAX) {
        return Optional.<WithSecret>empty();
      }
      Endpoint made =
          jdbc.sql(
                  "insert into webhook_endpoint (account, all_accounts, url, description, events, key_id,"
                      + " secret_sealed, created_at) values (?, ?, ?, ?, string_to_array(?, ','), ?, ?, ?)"
                      + " returning "
                      + COLUMNS)
              .params(
                  account,
                  wanted.allAccounts,
                  wanted.url,
                  wanted.description,
                  String.join(",", wanted.events),
                  keys.currentId(),
                  seal(account, secret),
                  Timestamp.from(now))
              .query((row, _) -> endpoint(row))
              .single();
      return Optional.of(new WithSecret(secret, made));
    });
  }

  /// Returns the endpoints of an account.
  public List<Endpoint> list(String account) {
    return jdbc.sql(
            "select "
                + COLUMNS
                + " from webhook_endpoint where account = ? and state <> 'DELETED' order by id")
        .param(account)
        .query((row, _) -> endpoint(row))
        .list();
  }

  /// Returns an endpoint of an account; empty if it has no such one.
  public Optional<Endpoint> find(String account, long id) {
    return jdbc.sql(
            "select "
                + COLUMNS
                + " from webhook_endpoint where account = ? and id = ? and state <> 'DELETED'")
        .params(account, id)
        .query((row, _) -> endpoint(row))
        .optional();
  }

  /// Replaces what an endpoint is, and enables it again.
  ///
  /// @return empty if it has another version meanwhile
  public Optional<Endpoint> replace(String account, long id, Wanted wanted, long version) {
    return jdbc.sql(
            "update webhook_endpoint set all_accounts = ?, url = ?, description = ?,"
                + " events = string_to_array(?, ','), state = 'ACTIVE', failures = 0, version = version + 1"
                + " where account = ? and id = ? and version = ? and state <> 'DELETED' returning "
                + COLUMNS)
        .params(
            wanted.allAccounts,
            wanted.url,
            wanted.description,
            String.join(",", wanted.events),
            account,
            id,
            version)
        .query((row, _) -> endpoint(row))
        .optional();
  }

  /// Deletes an endpoint with what it has not got. Its secrets are overwritten.
  ///
  /// @return false if the account has no such endpoint
  public boolean delete(String account, long id) {
    return Boolean.TRUE.equals(
        transaction.execute(_ -> {
          int deleted =
              jdbc.sql(
                      "update webhook_endpoint set state = 'DELETED', secret_sealed = '', former_secret_sealed = null,"
                          + " url = '', description = '', version = version + 1"
                          + " where account = ? and id = ? and state <> 'DELETED'")
                  .params(account, id)
                  .update();
          jdbc.sql("delete from webhook_delivery where endpoint_id = ? and ? = 1")
              .params(id, deleted)
              .update();
          return deleted == 1;
        }));
  }

  /// Gives an endpoint a new secret. Both sign for [#ROTATION], so that the receiver can change
  /// over.
  ///
  /// @return empty if the account has no such endpoint
  public Optional<WithSecret> rotate(String account, long id, Instant now) {
    String secret = PREFIX + SecretToken.draw(random);
    return jdbc.sql(
            "update webhook_endpoint set former_key_id = key_id, former_secret_sealed = secret_sealed,"
                + " former_until = ?, key_id = ?, secret_sealed = ?, version = version + 1"
                + " where account = ? and id = ? and state <> 'DELETED' returning "
                + COLUMNS)
        .params(
            Timestamp.from(now.plus(ROTATION)),
            keys.currentId(),
            seal(account, secret),
            account,
            id)
        .query((row, _) -> endpoint(row))
        .optional()
        .map(endpoint -> new WithSecret(secret, endpoint));
  }

  private record Sealed(
      String account,
      String keyId,
      byte[] secret,
      @Nullable String formerKeyId,
      byte @Nullable [] formerSecret) {}

  /// Returns the secrets that sign a delivery now, the present one first.
  List<String> secrets(long id, Instant now) {
    Sealed sealed =
        jdbc.sql(
                "select account, key_id, secret_sealed, former_key_id,"
                    + " case when former_until > ? then former_secret_sealed end from webhook_endpoint where id = ?")
            .params(Timestamp.from(now), id)
            .query((row, _) ->
                new Sealed(
                    row.getString(1),
                    row.getString(2),
                    row.getBytes(3),
                    row.getString(4),
                    row.getBytes(5)))
            .single();
    List<String> secrets = new ArrayList<>();
    secrets.add(open(sealed.account, sealed.keyId, sealed.secret));
    if (sealed.formerSecret != null && sealed.formerKeyId != null) {
      secrets.add(open(sealed.account, sealed.formerKeyId, sealed.formerSecret));
    }
    return secrets;
  }

  /// Seals the secrets of former keys again with the current key.
  ///
  /// @return number of endpoints whose secret was sealed again
  public int renewSeals() {
    record Old(long id, Sealed sealed) {}
    Integer renewed =
        transaction.execute(_ -> {
          List<Old> old =
              jdbc.sql(
                      "select id, account, key_id, secret_sealed, former_key_id, former_secret_sealed"
                          + " from webhook_endpoint where key_id <> ? and state <> 'DELETED' for update")
                  .param(keys.currentId())
                  .query((row, _) ->
                      new Old(
                          row.getLong(1),
                          new Sealed(
                              row.getString(2),
                              row.getString(3),
                              row.getBytes(4),
                              row.getString(5),
                              row.getBytes(6))))
                  .list();
          for (Old each : old) {
            Sealed sealed = each.sealed;
            jdbc.sql(
                    "update webhook_endpoint set key_id = ?, secret_sealed = ?, former_secret_sealed = null"
                        + " where id = ?")
                .params(
                    keys.currentId(),
                    seal(sealed.account, open(sealed.account, sealed.keyId, sealed.secret)),
                    each.id)
                .update();
          }
          return old.size();
        });
    return renewed == null ? 0 : renewed;
  }

  private byte[] seal(String account, String secret) {
    return keys.seal(owner(account), secret.getBytes(StandardCharsets.UTF_8));
  }

  private String open(String account, String keyId, byte[] sealed) {
    return new String(keys.open(keyId, owner(account), sealed), StandardCharsets.UTF_8);
  }

  private static String owner(String account) {
    return account + " webhook";
  }

  private static Endpoint endpoint(ResultSet row) throws SQLException {
    return new Endpoint(
        row.getLong(1),
        row.getString(2),
        row.getBoolean(3),
        row.getString(4),
        row.getString(5),
        List.of(row.getString(6).split(",")),
        State.valueOf(row.getString(7)),
        row.getInt(8),
        row.getLong(9),
        row.getTimestamp(10).toInstant());
  }
}
