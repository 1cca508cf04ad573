package io.viaduct.billing.rest;

import io.viaduct.billing.account.ApiTokens;
import io.viaduct.billing.account.LoginSessions;
import io.viaduct.billing.account.LoginSessions.Caller;
import java.time.InstantSource;
import java.util.Optional;

/// Finds who holds the token of a request: that of a log-in, or an API token.
final class Callers {
  private final LoginSessions logins;
  private final ApiTokens tokens;
  private final InstantSource clock;

  Callers(LoginSessions logins, ApiTokens tokens, InstantSource clock) {
    this.logins = logins;
    this.tokens = tokens;
    this.clock = clock;
  }

  /// Returns the caller with the rights of this moment; empty if the token is unknown, ended,
  /// revoked or expired.
  Optional<Caller> of(String token) {
    return token.startsWith(ApiTokens.PREFIX)
        ? tokens.caller(token, clock.instant())
        : logins.caller(token, clock.instant());
  }
}
