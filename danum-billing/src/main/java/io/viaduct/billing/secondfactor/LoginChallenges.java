package io.viaduct.billing.secondfactor;

import io.viaduct.billing.account.SecretToken;
import io.viaduct.service.digest.Sha256;
import java.security.SecureRandom;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Stores log-ins whose password was right and whose code has not come yet. A challenge is 256
/// random bits; the database keeps only its SHA-256. Any instance of billing accepts the code.
public final class LoginChallenges {
  /// Time for the code.
  public static final Duration LIFETIME = Duration.ofMinutes(5);

  private final JdbcClient jdbc;
  private final SecureRandom random = new SecureRandom();

  public LoginChallenges(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /// Makes a challenge and deletes those that are over.
  public String begin(String account, Instant now) {
    String token = SecretToken.draw(random);
    jdbc.sql("delete from login_challenge where expires_at <= ?")
        .param(Timestamp.from(now))
        .update();
    jdbc.sql("insert into login_challenge (token_digest, account, expires_at) values (?, ?, ?)")
        .params(Sha256.of(token), account, Timestamp.from(now.plus(LIFETIME)))
        .update();
    return token;
  }

  /// Returns the account of a challenge; empty if it is unknown, answered or over, or the account
  /// was closed.
  public Optional<String> account(String token, Instant now) {
    return jdbc.sql("select account from login_challenge where token_digest = ? and expires_at > ?")
        .params(Sha256.of(token), Timestamp.from(now))
        .query(String.class)
        .optional();
  }

  /// Ends a challenge.
  ///
  /// @return false if it was answered meanwhile
  public boolean end(String token) {
    return jdbc.sql("delete from login_challenge where token_digest = ?")
            .param(Sha256.of(token))
            .update()
        == 1;
  }

  /// Ends all challenges of an account: its password has changed.
  public void endAll(String account) {
    jdbc.sql("delete from login_challenge where account = ?").param(account).update();
  }
}
