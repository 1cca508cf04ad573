package io.viaduct.billing.account;

import io.viaduct.service.digest.Sha256;
import java.security.SecureRandom;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Stores login sessions. A token is 256 random bits; the database keeps only its SHA-256.
public final class LoginSessions {
  private final JdbcClient jdbc;
  private final Duration lifetime;
  private final boolean requiresSecondFactor;
  private final SecureRandom random = new SecureRandom();

  /// Log-ins in a database.
  ///
  /// @param requiresSecondFactor true if operators and auditors must have a second factor
  public LoginSessions(JdbcClient jdbc, Duration lifetime, boolean requiresSecondFactor) {
    this.jdbc = jdbc;
    this.lifetime = lifetime;
    this.requiresSecondFactor = requiresSecondFactor;
  }

  /// A new login. Its token is not shown again.
  ///
  /// @param token opaque, secret
  /// @param expiresAt end of the token's validity
  public record NewLogin(String token, Instant expiresAt) {
    @Override
    public String toString() {
      return "NewLogin[token=(secret), expiresAt=" + expiresAt + "]";
    }
  }

  /// The account behind a valid token.
  ///
  /// @param account account id
  /// @param role what the account may see
  /// @param expiresAt end of the login or the token
  /// @param scopes the scopes of an API token; null for a log-in, which is not limited to scopes
  /// @param lacksSecondFactor true if this log-in may only set up the second factor that is
  ///   required of it
  public record Caller(
      String account,
      Role role,
      Instant expiresAt,
      @Nullable Set<Scope> scopes,
      boolean lacksSecondFactor) {
    /// Returns true if this caller may change the data of every account.
    public boolean mayChangeAll() {
      return role == Role.OPERATOR;
    }

    /// Returns true if this caller may see the data of the account.
    public boolean canSee(String other) {
      return role.readsAll() || account.equals(other);
    }
  }

  /// Begins a login and deletes expired ones.
  ///
  /// @param federated true if a provider has identified the person, and asked for its own second
  ///   factor
  public NewLogin begin(String account, boolean federated, Instant now) {
    String token = SecretToken.draw(random);
    Instant expiresAt = now.plus(lifetime);
    jdbc.sql("delete from login_session where expires_at <= ?").param(Timestamp.from(now)).update();
    jdbc.sql(
            "insert into login_session (token_digest, account, created_at, expires_at, federated)"
                + " values (:tokenDigest, :account, :createdAt, :expiresAt, :federated)")
        .param("tokenDigest", Sha256.of(token))
        .param("account", account)
        .param("createdAt", Timestamp.from(now))
        .param("expiresAt", Timestamp.from(expiresAt))
        .param("federated", federated)
        .update();
    return new NewLogin(token, expiresAt);
  }

  /// Returns the caller who holds a token. Empty if the token was never issued, was logged out, has
  /// expired, or its account is closed. A suspended account has the role of a user, whatever its
  /// own role is.
  public Optional<Caller> caller(String token, Instant now) {
    return jdbc.sql(
            "select s.account, case a.state when 'active' then a.role else 'user' end, s.expires_at,"
                + " s.federated or exists (select from second_factor f where f.account = a.id and f.confirmed_at is not null)"
                + " from login_session s join account a on a.id = s.account"
                + " where s.token_digest = ? and s.expires_at > ? and a.state <> 'closed'")
        .param(Sha256.of(token))
        .param(Timestamp.from(now))
        .query((row, _) -> {
          Role role = Role.of(row.getString(2));
          return new Caller(
              row.getString(1),
              role,
              row.getTimestamp(3).toInstant(),
              null,
              requires(role) && !row.getBoolean(4));
        })
        .optional();
  }

  /// Returns true if log-ins of this role by password must have a second factor.
  public boolean requires(Role role) {
    return requiresSecondFactor && role.readsAll();
  }

  /// Ends a login.
  public void end(String token) {
    jdbc.sql("delete from login_session where token_digest = ?").param(Sha256.of(token)).update();
  }

  /// Ends every login of an account except one.
  ///
  /// @param keptToken token of the login that stays, or empty to end all
  public void endOthers(String account, String keptToken) {
    jdbc.sql("delete from login_session where account = ? and token_digest <> ?")
        .param(account)
        .param(Sha256.of(keptToken))
        .update();
  }
}
