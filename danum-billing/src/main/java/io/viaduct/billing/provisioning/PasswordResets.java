package io.viaduct.billing.provisioning;

import io.viaduct.billing.account.Account;
import io.viaduct.billing.account.SecretToken;
import io.viaduct.service.digest.Sha256;
import java.security.SecureRandom;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Links by which a user sets a new password without the old one. An operator makes a link and
/// passes it on; it is used once, and ends by itself.
public final class PasswordResets {
  /// Time for which a link may be used.
  public static final Duration LIFETIME = Duration.ofHours(24);

  private final JdbcClient jdbc;
  private final TransactionTemplate transaction;
  private final Users users;
  private final SecureRandom random = new SecureRandom();

  PasswordResets(JdbcClient jdbc, TransactionTemplate transaction, Users users) {
    this.jdbc = jdbc;
    this.transaction = transaction;
    this.users = users;
  }

  /// A link's secret. It is not shown again.
  public record NewReset(String token, Instant expiresAt) {
    @Override
    public String toString() {
      return "NewReset[expiresAt=" + expiresAt + "]";
    }
  }

  /// Makes a link, in place of an earlier one of the account.
  ///
  /// @throws UserRefusedException if there is no such account, it is closed, or the configuration
  ///   has its password
  public NewReset make(String account, String madeBy, Instant now) {
    String token = SecretToken.draw(random);
    Instant expiresAt = now.plus(LIFETIME);
    transaction.executeWithoutResult(_ -> {
      users.requireChangeablePassword(account);
      jdbc.sql("delete from password_reset where account = ? or expires_at <= ?")
          .param(account)
          .param(Timestamp.from(now))
          .update();
      jdbc.sql(
              "insert into password_reset (token_digest, account, made_by, made_at, expires_at)"
                  + " values (:digest, :account, :by, :now, :expires)")
          .param("digest", Sha256.of(token))
          .param("account", account)
          .param("by", madeBy)
          .param("now", Timestamp.from(now))
          .param("expires", Timestamp.from(expiresAt))
          .update();
    });
    return new NewReset(token, expiresAt);
  }

  /// Sets a new password, ends all log-ins of the account, and uses the link up.
  ///
  /// @return the account; empty if the link is unknown, used or over
  /// @throws UserRefusedException if the password breaks a rule; then the link stays
  public Optional<Account> use(String token, String newPassword, Instant now) {
    return transaction.execute(_ -> {
      Optional<String> account =
          jdbc.sql(
                  "delete from password_reset where token_digest = ? and expires_at > ? returning account")
              .param(Sha256.of(token))
              .param(Timestamp.from(now))
              .query(String.class)
              .optional();
      return account.map(id ->
          users.change(
              id, new UserChange(null, null, null, newPassword, null, null), null, "", now));
    });
  }
}
