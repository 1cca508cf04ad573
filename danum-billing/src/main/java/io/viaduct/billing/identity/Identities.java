package io.viaduct.billing.identity;

import io.viaduct.billing.account.Account;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.Role;
import io.viaduct.billing.configuration.OidcSettings;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.transaction.support.TransactionTemplate;

/// Finds the account of an ID token by the provider's issuer and subject. A log-in never takes over
/// an account that is there already: only an operator links such an account.
public final class Identities {
  private static final Logger LOG = LoggerFactory.getLogger(Identities.class);
  private static final int DISPLAY_NAME_MAX = 128;

  private final JdbcClient jdbc;
  private final TransactionTemplate transaction;
  private final Accounts accounts;
  private final OidcSettings provider;
  private final Claims claims;
  private final String configuredOperator;

  Identities(
      JdbcClient jdbc,
      TransactionTemplate transaction,
      Accounts accounts,
      OidcSettings provider,
      Claims claims,
      String configuredOperator) {
    this.jdbc = jdbc;
    this.transaction = transaction;
    this.accounts = accounts;
    this.provider = provider;
    this.claims = claims;
    this.configuredOperator = configuredOperator;
  }

  /// Returns true if there is a provider.
  public boolean isConfigured() {
    return !provider.issuer().isEmpty();
  }

  /// Returns the account of a verified token, with the role that the token says. Makes the account
  /// if it is missing and the configuration allows it.
  ///
  /// @return empty if no account is linked, and none is made
  public Optional<Account> account(Jwt token, Instant now) {
    return Objects.requireNonNull(
        transaction.execute(_ -> {
          Optional<Account> account = linked(subject(token)).or(() -> make(token, now));
          account.ifPresent(found ->
              claims
                  .role(token)
                  .filter(role -> role != found.role())
                  .ifPresent(role -> change(found, role)));
          return account.flatMap(found -> accounts.find(found.id()));
        }));
  }

  private void change(Account account, Role role) {
    LOG.info(
        "the provider has changed the role of {} from {} to {}",
        account.id(),
        account.role().word(),
        role.word());
    accounts.setRole(account.id(), role);
  }

  private Optional<Account> linked(String subject) {
    return jdbc.sql("select account from external_identity where issuer = ? and subject = ?")
        .params(provider.issuer(), subject)
        .query(String.class)
        .optional()
        .flatMap(accounts::lock);
  }

  private Optional<Account> make(Jwt token, Instant now) {
    if (!provider.create()) {
      return Optional.empty();
    }
    return claims
        .account(token)
        .flatMap(id -> accounts.openWithoutPassword(id, displayName(token, id), Role.USER, now))
        .map(made -> {
          link(made.id(), subject(token), provider.issuer(), now);
          return made;
        });
  }

  private static String subject(Jwt token) {
    return Objects.requireNonNull(token.getSubject()); // IdTokens refuses a token without one
  }

  private static String displayName(Jwt token, String id) {
    String name = token.getClaimAsString("name");
    return name == null
            || name.isBlank()
            || name.length() > DISPLAY_NAME_MAX
            || name.codePoints().anyMatch(Character::isISOControl)
        ? id
        : name;
  }

  /// Links an account to a subject of the provider, in place of an earlier one.
  ///
  /// @throws TakenException if the subject belongs to another account
  /// @throws IllegalArgumentException if the configuration governs the account
  public void link(String account, String subject, String by, Instant now) {
    if (account.equals(configuredOperator)) {
      throw new IllegalArgumentException(
          "'%s' logs in with the password of the configuration: it is there for when the provider is away"
              .formatted(account));
    }
    transaction.executeWithoutResult(_ -> {
      var unused = unlink(account);
      int linked =
          jdbc.sql(
                  "insert into external_identity (issuer, subject, account, linked_at, linked_by)"
                      + " values (?, ?, ?, ?, ?) on conflict do nothing")
              .params(provider.issuer(), subject, account, Timestamp.from(now), by)
              .update();
      if (linked == 0) {
        throw new TakenException();
      }
    });
  }

  /// The subject belongs to another account. Nothing changed.
  public static final class TakenException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TakenException() {
      super("the subject belongs to another account", null, false, false);
    }
  }

  /// The link of an account.
  public record Link(String issuer, String subject, Instant linkedAt, String linkedBy) {}

  public Optional<Link> find(String account) {
    return jdbc.sql(
            "select issuer, subject, linked_at, linked_by from external_identity where account = ? and issuer = ?")
        .params(account, provider.issuer())
        .query((row, _) ->
            new Link(
                row.getString(1),
                row.getString(2),
                row.getTimestamp(3).toInstant(),
                row.getString(4)))
        .optional();
  }

  /// Takes the link away.
  ///
  /// @return false if there was none
  public boolean unlink(String account) {
    return jdbc.sql("delete from external_identity where account = ? and issuer = ?")
            .params(account, provider.issuer())
            .update()
        == 1;
  }
}
