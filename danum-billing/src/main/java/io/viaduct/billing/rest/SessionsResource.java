package io.viaduct.billing.rest;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.security.SecurityRequirements;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.Account;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions;
import io.viaduct.billing.account.LoginThrottle;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/// Logging in and out.
@RestController
@RequestMapping("/api/v1/sessions")
@Tag(name = "sessions")
class SessionsResource {
  private final Accounts accounts;
  private final LoginSessions sessions;
  private final LoginThrottle throttle;
  private final InstantSource clock;
  private final Counter begun;
  private final Counter wrong;
  private final Counter throttled;

  SessionsResource(
      Accounts accounts,
      LoginSessions sessions,
      LoginThrottle throttle,
      InstantSource clock,
      MeterRegistry registry) {
    this.accounts = accounts;
    this.sessions = sessions;
    this.throttle = throttle;
    this.clock = clock;
    begun = counter(registry, "BEGUN");
    wrong = counter(registry, "WRONG_PASSWORD");
    throttled = counter(registry, "THROTTLED");
  }

  private static Counter counter(MeterRegistry registry, String outcome) {
    return Counter.builder("viaduct.logins")
        .description("Attempts to log in, by outcome")
        .tag("outcome", outcome)
        .register(registry);
  }

  record Login(String user, String password) {
    Login {
      JsonBody.require("user", user);
      JsonBody.require("password", password);
    }

    @Override
    public String toString() {
      return "Login[user=" + user + "]";
    }
  }

  record Session(String token, String user, String role, Instant expiresAt) {}

  @Refuses({ProblemType.WRONG_PASSWORD, ProblemType.TOO_MANY_ATTEMPTS})
  @PostMapping
  @ResponseStatus(HttpStatus.CREATED)
  @SecurityRequirements
  @Operation(summary = "Log in", operationId = "logIn")
  Session logIn(@RequestBody Login login) {
    Instant now = clock.instant();
    if (login.user().length() > 64) {
      throw ProblemException.invalid("user must have at most 64 characters");
    }
    Optional<Duration> closed = throttle.refusedFor(login.user(), now);
    if (closed.isPresent()) {
      throttled.increment();
      throw new ProblemException(
          ProblemType.TOO_MANY_ATTEMPTS,
          "too many wrong passwords in a row: wait " + (closed.get().toSeconds() + 1) + " s",
          closed.get());
    }
    Optional<Account> account = accounts.authenticate(login.user(), login.password());
    if (account.isEmpty()) {
      throttle.wrong(login.user(), now);
      wrong.increment();
      throw new ProblemException(ProblemType.WRONG_PASSWORD, "check both and try again");
    }
    throttle.right(login.user());
    begun.increment();
    LoginSessions.Begun session = sessions.begin(account.get().id(), now);
    return new Session(
        session.token(), account.get().id(), account.get().role().word(), session.expiresAt());
  }

  @DeleteMapping("/current")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  @Operation(summary = "Log out", operationId = "logOut")
  void logOut(HttpServletRequest request) {
    sessions.end(BearerCheck.token(request));
  }
}
