package io.viaduct.billing.account;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import org.springframework.jdbc.core.JdbcTemplate;

/// Logins. A token is 256 random bits that only its holder has; the database knows its SHA-256.
public final class LoginSessions {
  private static final int TOKEN_BYTES = 32;

  private final JdbcTemplate jdbc;
  private final Duration lifetime;
  private final SecureRandom random = new SecureRandom();

  public LoginSessions(JdbcTemplate jdbc, Duration lifetime) {
    this.jdbc = jdbc;
    this.lifetime = lifetime;
  }

  /// A login that has just begun; the only time that its token is seen.
  ///
  /// @param token opaque, secret
  /// @param expiresAt until then it is good
  public record Begun(String token, Instant expiresAt) {
    @Override
    public String toString() {
      return "Begun[token=(secret), expiresAt=" + expiresAt + "]";
    }
  }

  /// Who calls, by a good token.
  ///
  /// @param account id
  /// @param role what it may see
  /// @param expiresAt end of the login
  public record Caller(String account, Role role, Instant expiresAt) {
    /// Whether data of an account may be shown to this caller.
    public boolean maySee(String other) {
      return role == Role.OPERATOR || account.equals(other);
    }
  }

  /// Begins a login, and forgets expired ones.
  public Begun begin(String account, Instant now) {
    byte[] bytes = new byte[TOKEN_BYTES];
    random.nextBytes(bytes);
    String token = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    Instant expiresAt = now.plus(lifetime);
    jdbc.update("delete from login_session where expires_at <= ?", Timestamp.from(now));
    jdbc.update(
        "insert into login_session (token_digest, account, created_at, expires_at) values (?, ?, ?, ?)",
        digest(token),
        account,
        Timestamp.from(now),
        Timestamp.from(expiresAt));
    return new Begun(token, expiresAt);
  }

  /// The caller of a token; empty if it was never given out, has ended or has expired, or its
  /// account is closed. A suspended operator sees its own account only.
  public Optional<Caller> caller(String token, Instant now) {
    return jdbc
        .query(
            "select s.account, case a.state when 'active' then a.role else 'user' end, s.expires_at from login_session s join account a on a.id = s.account"
                + " where s.token_digest = ? and s.expires_at > ? and a.state <> 'closed'",
            (row, _) ->
                new Caller(
                    row.getString(1), Role.of(row.getString(2)), row.getTimestamp(3).toInstant()),
            digest(token),
            Timestamp.from(now))
        .stream()
        .findFirst();
  }

  /// Ends a login.
  public void end(String token) {
    jdbc.update("delete from login_session where token_digest = ?", (Object) digest(token));
  }

  /// Ends every login of an account but one.
  ///
  /// @param kept its token, or empty to end all
  public void endOthers(String account, String kept) {
    jdbc.update(
        "delete from login_session where account = ? and token_digest <> ?", account, digest(kept));
  }

  private static byte[] digest(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
