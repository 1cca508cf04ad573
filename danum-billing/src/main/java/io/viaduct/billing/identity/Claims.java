package io.viaduct.billing.identity;

import io.viaduct.billing.account.Account;
import io.viaduct.billing.account.Role;
import io.viaduct.billing.configuration.OidcSettings;
import io.viaduct.service.logging.PeerText;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.oauth2.jwt.Jwt;

/// Maps claims of an ID token to the name and the role of an account, as the configuration says.
final class Claims {
  private static final Logger LOG = LoggerFactory.getLogger(Claims.class);
  private static final String EMAIL = "email";

  /// The first of these roles that a token has is its role.
  private static final List<Role> STRONGEST_FIRST =
      List.of(Role.OPERATOR, Role.AUDITOR, Role.SNAPT_OWNER, Role.USER);

  private final OidcSettings provider;
  private final String domain;

  /// @param domain home domain of the accounts: the only one of e-mail addresses
  Claims(OidcSettings provider, String domain) {
    this.provider = provider;
    this.domain = domain;
  }

  /// Returns the name that a new account would have; empty if the token has none that may be one.
  /// An e-mail address counts only if it is verified and in the home domain; then its local part is
  /// the name.
  Optional<String> account(Jwt token) {
    Object value = claim(token, provider.accountClaim());
    if (!(value instanceof String name)) {
      return Optional.empty();
    }
    if (provider.accountClaim().equals(EMAIL)) {
      String suffix = "@" + domain;
      if (!Boolean.TRUE.equals(token.getClaim("email_verified")) || !name.endsWith(suffix)) {
        return Optional.empty();
      }
      name = name.substring(0, name.length() - suffix.length());
    }
    Optional<String> flaw = Account.flaw(name);
    if (flaw.isPresent()) {
      LOG.warn(
          "no account is made for '{}' of the provider: the name {}",
          PeerText.printable(name),
          flaw.get());
    }
    return flaw.isPresent() ? Optional.empty() : Optional.of(name);
  }

  /// Returns the role; empty if the configuration names no claim for it. A token without a known
  /// value is a user's.
  Optional<Role> role(Jwt token) {
    if (provider.roleClaim().isEmpty()) {
      return Optional.empty();
    }
    Object value = claim(token, provider.roleClaim());
    Collection<?> values =
        value instanceof Collection<?> several
            ? several
            : value == null ? List.of() : List.of(value);
    List<Role> roles =
        values.stream()
            .map(each -> provider.roles().get(String.valueOf(each)))
            .filter(word -> word != null)
            .map(Role::of)
            .toList();
    return Optional.of(
        STRONGEST_FIRST.stream().filter(roles::contains).findFirst().orElse(Role.USER));
  }

  /// Returns a claim by its name, or by a path such as `realm_access.roles`.
  private static @Nullable Object claim(Jwt token, String path) {
    Object value = token.getClaims();
    if (token.hasClaim(path)) {
      return token.getClaims().get(path);
    }
    for (String key : path.split("\\.")) {
      value = value instanceof Map<?, ?> object ? object.get(key) : null;
    }
    return value;
  }
}
