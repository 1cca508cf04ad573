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
import io.viaduct.billing.secondfactor.LoginChallenges;
import io.viaduct.billing.secondfactor.SecondFactors;
import io.viaduct.service.operations.LabelledCounters;
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
  private final SecondFactors factors;
  private final LoginChallenges challenges;
  private final LoginGate gate;
  private final InstantSource clock;
  private final Counter begun;
  private final Counter wrong;
  private final Counter throttled;
  private final LabelledCounters<SecondFactors.Outcome> codes;

  SessionsResource(
      Accounts accounts,
      LoginSessions sessions,
      SecondFactors factors,
      LoginChallenges challenges,
      LoginGate gate,
      InstantSource clock,
      MeterRegistry registry) {
    this.accounts = accounts;
    this.sessions = sessions;
    this.factors = factors;
    this.challenges = challenges;
    this.gate = gate;
    this.clock = clock;
    begun = counter(registry, "begun");
    wrong = counter(registry, "wrong_password");
    throttled = counter(registry, "throttled");
    codes =
        LabelledCounters.register(
            registry,
            "viaduct_login_codes",
            "Codes of second factors at log-in, by outcome",
            "outcome",
            SecondFactors.Outcome.class);
  }

  static Counter counter(MeterRegistry registry, String outcome) {
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
  /// @param lacksSecondFactor true if it may only set up the second factor that is required of it
  record Session(
      String token,
      String user,
      String role,
      Instant expiresAt,
      String knownBrowser,
      boolean lacksSecondFactor) {
    static Session of(
        LoginSessions.NewLogin login,
        Account account,
        String knownBrowser,
        boolean lacksSecondFactor) {
      return new Session(
          login.token(),
          account.id(),
          account.role().word(),
          login.expiresAt(),
          knownBrowser,
          lacksSecondFactor);
    }

    @Override
    public String toString() {
      return "Session[user=" + user + ", role=" + role + ", expiresAt=" + expiresAt + "]";
    }
  }

  /// The second step of a log-in.
  ///
  /// @param code of the authenticator app, or a recovery code
  record LoginCode(String challenge, String code) {
    private static final int LENGTH_MAX = 128;

    LoginCode {
      JsonBody.require("challenge", challenge);
      JsonBody.require("code", code);
      if (challenge.length() > LENGTH_MAX || code.length() > LENGTH_MAX) {
        throw new IllegalArgumentException(
            "challenge and code must have at most " + LENGTH_MAX + " characters");
      }
    }

    @Override
    public String toString() {
      return "LoginCode[]";
    }
  }

  @Refuses({
    ProblemType.CODE_REQUIRED,
    ProblemType.WRONG_PASSWORD,
    ProblemType.TOO_MANY_ATTEMPTS,
    ProblemType.TOO_MANY_LOG_INS
  })
  @PostMapping
  @ResponseStatus(HttpStatus.CREATED)
  @SecurityRequirements
  @Operation(
      summary = "Log in",
      description =
          "If the account has a second factor, the answer is the problem code-required with a"
              + " challenge: send the code with it to POST /api/v1/sessions/codes within 5 min.",
      operationId = "logIn")
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
    String id = account.get().id();
    if (factors.status(id).state() == SecondFactors.State.ON) {
      throw new ProblemException.CodeRequired(challenges.begin(id, clock.instant()));
    }
    return begin(account.get(), attempt);
  }

  @Refuses({ProblemType.CHALLENGE_OVER, ProblemType.WRONG_CODE, ProblemType.TOO_MANY_ATTEMPTS})
  @PostMapping("/codes")
  @ResponseStatus(HttpStatus.CREATED)
  @SecurityRequirements
  @Operation(
      summary = "Log in, second step: send the code of the authenticator app, or a recovery code",
      description =
          "Each code is taken once. After 5 wrong codes of an account each further one has to wait:"
              + " 30 s, then twice as long each time, an hour at most.",
      operationId = "sendCode")
  Session code(@RequestBody LoginCode sent, HttpServletRequest request) {
    Instant now = clock.instant();
    Account account =
        challenges
            .account(sent.challenge(), now)
            .flatMap(accounts::find)
            .orElseThrow(SessionsResource::over);
    SecondFactors.Check check = factors.check(account.id(), sent.code(), now);
    codes.increment(check.outcome());
    SecondFactorResource.require(check);
    if (!challenges.end(sent.challenge())) {
      throw over();
    }
    return begin(account, gate.attempt(account.id(), null, request));
  }

  private static ProblemException over() {
    return new ProblemException(
        ProblemType.CHALLENGE_OVER,
        "a code must come within %d min after the password: log in again"
            .formatted(LoginChallenges.LIFETIME.toMinutes()));
  }

  private Session begin(Account account, Attempt attempt) {
    begun.increment();
    LoginSessions.NewLogin session = sessions.begin(account.id(), false, clock.instant());
    boolean lacksSecondFactor =
        sessions
            .caller(session.token(), clock.instant())
            .map(LoginSessions.Caller::lacksSecondFactor)
            .orElse(false);
    return Session.of(session, account, gate.mark(attempt), lacksSecondFactor);
  }

  @DeleteMapping("/current")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  @Operation(summary = "Log out", operationId = "logOut")
  void logOut(Authentication login) {
    sessions.end(CallerAccess.token(login));
  }
}
