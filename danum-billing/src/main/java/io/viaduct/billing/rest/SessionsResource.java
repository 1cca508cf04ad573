package io.viaduct.billing.rest;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.security.SecurityRequirements;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.Account;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions;
import io.viaduct.billing.account.LoginThrottle.Attempt;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.Authentication;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/// Logs users in and out.
@RestController
@RequestMapping("/api/v1/sessions")
@Tag(name = "sessions")
class SessionsResource {
  private final Accounts accounts;
  private final LoginSessions sessions;
  private final LoginGate gate;
  private final InstantSource clock;
  private final Counter begun;
  private final Counter wrong;
  private final Counter throttled;

  SessionsResource(
      Accounts accounts,
      LoginSessions sessions,
      LoginGate gate,
      InstantSource clock,
      MeterRegistry registry) {
    this.accounts = accounts;
    this.sessions = sessions;
    this.gate = gate;
    this.clock = clock;
    begun = counter(registry, "begun");
    wrong = counter(registry, "wrong_password");
    throttled = counter(registry, "throttled");
  }

  private static Counter counter(MeterRegistry registry, String outcome) {
    return Counter.builder("viaduct_logins")
        .description("Attempts to log in, by outcome")
        .tag("outcome", outcome)
        .register(registry);
  }

  /// The body of a log-in.
  ///
  /// @param knownBrowser mark from this browser's last log-in; null if there was none
  record Login(String user, String password, @Nullable String knownBrowser) {
    Login {
      JsonBody.require("user", user);
      JsonBody.require("password", password);
    }

    @Override
    public String toString() {
      return "Login[user=" + user + "]";
    }
  }

  /// A new login session.
  ///
  /// @param knownBrowser mark that the browser keeps and sends with its next log-in
  record Session(String token, String user, String role, Instant expiresAt, String knownBrowser) {
    @Override
    public String toString() {
      return "Session[user=" + user + ", role=" + role + ", expiresAt=" + expiresAt + "]";
    }
  }

  @Refuses({
    ProblemType.WRONG_PASSWORD,
    ProblemType.TOO_MANY_ATTEMPTS,
    ProblemType.TOO_MANY_LOG_INS
  })
  @PostMapping
  @ResponseStatus(HttpStatus.CREATED)
  @SecurityRequirements
  @Operation(summary = "Log in", operationId = "logIn")
  Session logIn(@RequestBody Login login, HttpServletRequest request) {
    if (login.user().length() > 64) {
      throw ProblemException.invalid("user must have at most 64 characters");
    }
    Attempt attempt = gate.attempt(login.user(), login.knownBrowser(), request);
    Optional<Duration> retryAfter = gate.admit(attempt);
    if (retryAfter.isPresent()) {
      throttled.increment();
      throw new ProblemException(
          ProblemType.TOO_MANY_ATTEMPTS,
          "too many wrong passwords: wait "
              + (retryAfter.get().toSeconds() + 1)
              + " s, or log in with a browser that has logged in before",
          retryAfter.get());
    }
    Optional<Account> account = accounts.authenticate(login.user(), login.password());
    if (account.isEmpty()) {
      wrong.increment();
      throw new ProblemException(ProblemType.WRONG_PASSWORD, "check both and try again");
    }
    gate.passwordWasRight(attempt);
    begun.increment();
    LoginSessions.NewLogin session = sessions.begin(account.get().id(), clock.instant());
    return new Session(
        session.token(),
        account.get().id(),
        account.get().role().word(),
        session.expiresAt(),
        gate.mark(attempt));
  }

  @DeleteMapping("/current")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  @Operation(summary = "Log out", operationId = "logOut")
  void logOut(Authentication login) {
    sessions.end(CallerAccess.token(login));
  }
}
