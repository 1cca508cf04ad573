package io.viaduct.billing.account;

import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.service.digest.Sha256;
import java.security.SecureRandom;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Stores tokens for programs. A token is 256 random bits behind [#PREFIX]; the database keeps only
/// its SHA-256. It has at most the rights that its account has at the time of the request.
public final class ApiTokens {
  /// Beginning of each token, so that people and scanners of leaked secrets recognise one.
  public static final String PREFIX = "vdt_";

  /// Most tokens of an account that are neither revoked nor over.
  public static final int TOKENS_MAX = 20;

  /// Longest validity of a token.
  public static final Duration VALID_MAX = Duration.ofDays(366);

  /// Precision of the time of last use, so that a busy token is not written with each request.
  private static final Duration USE_PRECISION = Duration.ofMinutes(1);

  private static final String COLUMNS =
      "id, account, name, scopes, created_at, expires_at, last_used_at, revoked_at";

  private final JdbcClient jdbc;
  private final TransactionTemplate transaction;
  private final SecureRandom random = new SecureRandom();

  public ApiTokens(JdbcClient jdbc, TransactionTemplate transaction) {
    this.jdbc = jdbc;
    this.transaction = transaction;
  }

  /// A token as it is listed.
  ///
  /// @param lastUsedAt to the minute; null if it was never used
  /// @param revokedAt null while it is not revoked
  public record ApiToken(
      long id,
      String account,
      String name,
      Set<Scope> scopes,
      Instant createdAt,
      Instant expiresAt,
      @Nullable Instant lastUsedAt,
      @Nullable Instant revokedAt) {}

  /// A new token.
  ///
  /// @param secret the token itself, which is not shown again
  public record NewToken(String secret, ApiToken token) {
    @Override
    public String toString() {
      return "NewToken[secret=(secret), token=" + token + "]";
    }
  }

  /// Makes a token.
  ///
  /// @return empty if the account has [#TOKENS_MAX] already
  public Optional<NewToken> create(
      String account, String name, Set<Scope> scopes, Instant expiresAt, Instant now) {
    String secret = PREFIX + SecretToken.draw(random);
    return transaction.execute(_ -> {
      // The lock of the account keeps two requests from passing the bound together.
      jdbc.sql("select id from account where id = ? for update").param(account).query(_ -> {});
      int open =
          jdbc.sql(
                  "select count(*) from api_token where account = ? and revoked_at is null and expires_at > ?")
              .params(account, Timestamp.from(now))
              .query(Integer.class)
              .single();
      if (open >= TOKENS_MAX) {
        return Optional.<NewToken>empty();
      }
      return Optional.of(
          new NewToken(
              secret,
              jdbc.sql(
                      "insert into api_token (account, name, token_digest, scopes, created_at, expires_at)"
                          + " values (?, ?, ?, string_to_array(?, ','), ?, ?) returning "
                          + COLUMNS)
                  .params(
                      account,
                      name,
                      Sha256.of(secret),
                      String.join(",", scopes.stream().map(Scope::word).toList()),
                      Timestamp.from(now),
                      Timestamp.from(expiresAt))
                  .query((row, _) -> token(row))
                  .single()));
    });
  }

  /// Returns the tokens of an account, also the revoked ones, latest first.
  public List<ApiToken> list(String account, long before, int limit) {
    return jdbc.sql(
            "select "
                + COLUMNS
                + " from api_token where account = ? and id < ? order by id desc limit ?")
        .params(account, before, limit)
        .query((row, _) -> token(row))
        .list();
  }

  /// Revokes a token at once. A revoked one stays as it is.
  ///
  /// @return false if the account has no such token
  public boolean revoke(String account, long id, String by, Instant now) {
    return jdbc.sql(
                "update api_token set revoked_at = coalesce(revoked_at, ?), revoked_by = coalesce(revoked_by, ?)"
                    + " where account = ? and id = ?")
            .params(Timestamp.from(now), by, account, id)
            .update()
        == 1;
  }

  /// Returns the caller who holds a token. Empty if the token was never made, is revoked or over,
  /// or its account is closed. The token of a suspended account has the rights of a user.
  public Optional<Caller> caller(String secret, Instant now) {
    byte[] digest = Sha256.of(secret);
    Optional<Caller> caller =
        jdbc.sql(
                "select t.account, case a.state when 'active' then a.role else 'user' end, t.expires_at, t.scopes"
                    + " from api_token t join account a on a.id = t.account where t.token_digest = ?"
                    + " and t.expires_at > ? and t.revoked_at is null and a.state <> 'closed'")
            .params(digest, Timestamp.from(now))
            .query((row, _) ->
                new Caller(
                    row.getString(1),
                    Role.of(row.getString(2)),
                    row.getTimestamp(3).toInstant(),
                    scopes(row.getArray(4)),
                    false))
            .optional();
    if (caller.isPresent()) {
      jdbc.sql(
              "update api_token set last_used_at = :now where token_digest = :digest"
                  + " and (last_used_at is null or last_used_at < :before)")
          .param("now", Timestamp.from(now))
          .param("digest", digest)
          .param("before", Timestamp.from(now.minus(USE_PRECISION)))
          .update();
    }
    return caller;
  }

  private static ApiToken token(ResultSet row) throws SQLException {
    Timestamp used = row.getTimestamp(7);
    Timestamp revoked = row.getTimestamp(8);
    return new ApiToken(
        row.getLong(1),
        row.getString(2),
        row.getString(3),
        scopes(row.getArray(4)),
        row.getTimestamp(5).toInstant(),
        row.getTimestamp(6).toInstant(),
        used == null ? null : used.toInstant(),
        revoked == null ? null : revoked.toInstant());
  }

  private static Set<Scope> scopes(Array words) throws SQLException {
    Set<Scope> scopes = EnumSet.noneOf(Scope.class);
    for (Object word : (Object[]) words.getArray()) {
      Scope.of(word.toString()).ifPresent(scopes::add);
    }
    return scopes;
  }
}
