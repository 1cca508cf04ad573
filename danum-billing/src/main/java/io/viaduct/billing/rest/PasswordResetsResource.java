package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.security.SecurityRequirements;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.provisioning.PasswordResets;
import io.viaduct.billing.provisioning.UserRefusedException;
import io.viaduct.service.throttle.SourceNetwork;
import io.viaduct.service.throttle.TokenBuckets;
import io.viaduct.service.throttle.TrustedProxies;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/// Makes links for users who have lost their password, and sets the new one.
@RestController
@Tag(name = "accounts")
class PasswordResetsResource {
  private static final int TOKEN_LENGTH_MAX = 128;

  /// A link has 256 random bits; the limit keeps the database from being asked without end.
  private static final int ATTEMPTS_OF_SOURCE = 30;

  private static final Duration SOURCE_PAUSE = Duration.ofSeconds(10);
  private static final int SOURCES_MAX = 10_000;

  private final PasswordResets resets;
  private final TrustedProxies proxies;
  private final InstantSource clock;
  private final TokenBuckets<SourceNetwork> sources;

  PasswordResetsResource(PasswordResets resets, TrustedProxies proxies, InstantSource clock) {
    this.resets = resets;
    this.proxies = proxies;
    this.clock = clock;
    sources = new TokenBuckets<>(ATTEMPTS_OF_SOURCE, SOURCE_PAUSE, SOURCES_MAX, clock);
  }

  record PasswordReset(String account, String token, Instant expiresAt) {
    @Override
    public String toString() {
      return "PasswordReset[account=" + account + "]";
    }
  }

  record UsedReset(String token, String newPassword) {
    UsedReset {
      JsonBody.require("token", token);
      JsonBody.require("newPassword", newPassword);
    }

    @Override
    public String toString() {
      return "UsedReset[]";
    }
  }

  record ResetAccount(String account) {}

  @Refuses({ProblemType.NOT_FOUND, ProblemType.ACCOUNT_CLOSED, ProblemType.CONFIGURED_OPERATOR})
  @PostMapping("/api/v1/accounts/{id}/password-resets")
  @ResponseStatus(HttpStatus.CREATED)
  @Operation(
      summary =
          "Make the secret of a link by which a user sets a new password once, as an operator",
      description = "It ends after 24 h, when it is used, and when another one is made.",
      operationId = "makePasswordReset")
  PasswordReset make(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
    try {
      PasswordResets.NewReset made = resets.make(id, caller.account(), clock.instant());
      return new PasswordReset(id, made.token(), made.expiresAt());
    } catch (UserRefusedException e) {
      throw UsersResource.problem(e);
    }
  }

  @Refuses({
    ProblemType.RESET_REFUSED,
    ProblemType.TOO_MANY_ATTEMPTS,
    ProblemType.TOO_MANY_LOG_INS,
    ProblemType.ACCOUNT_CLOSED,
    ProblemType.CONFIGURED_OPERATOR
  })
  @SecurityRequirements
  @PostMapping("/api/v1/password-resets")
  @Operation(
      summary = "Set a new password by a link; all log-ins of the account end",
      operationId = "resetPassword")
  ResetAccount use(HttpServletRequest request, @RequestBody UsedReset wanted) {
    SourceNetwork source =
        SourceNetwork.of(proxies.visitor(request.getRemoteAddr(), request::getHeaders));
    if (!sources.take(source)) {
      Duration wait = sources.untilNext(source);
      throw new ProblemException(
          ProblemType.TOO_MANY_ATTEMPTS,
          "too many attempts: wait %d s".formatted(wait.toSeconds() + 1),
          wait);
    }
    try {
      return resets
          .use(
              wanted.token().length() > TOKEN_LENGTH_MAX ? "" : wanted.token(),
              wanted.newPassword(),
              clock.instant())
          .map(account -> new ResetAccount(account.id()))
          .orElseThrow(() ->
              new ProblemException(
                  ProblemType.RESET_REFUSED,
                  "ask your operator for a new link: a link is used once, within 24 h"));
    } catch (UserRefusedException e) {
      throw UsersResource.problem(e);
    }
  }
}
