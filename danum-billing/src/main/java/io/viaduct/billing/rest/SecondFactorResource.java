package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.Account;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.secondfactor.LoginChallenges;
import io.viaduct.billing.secondfactor.SecondFactors;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/// Sets up, ends and resets the second factor of an account.
@RestController
@RequestMapping("/api/v1/accounts/{id}/second-factor")
@Tag(name = "accounts")
class SecondFactorResource {
  private static final int CODE_LENGTH_MAX = 128;

  private final Accounts accounts;
  private final LoginSessions sessions;
  private final SecondFactors factors;
  private final LoginChallenges challenges;
  private final InstantSource clock;

  SecondFactorResource(
      Accounts accounts,
      LoginSessions sessions,
      SecondFactors factors,
      LoginChallenges challenges,
      InstantSource clock) {
    this.accounts = accounts;
    this.sessions = sessions;
    this.factors = factors;
    this.challenges = challenges;
    this.clock = clock;
  }

  record SecondFactor(String state, boolean required, int recoveryCodes) {}

  record FactorSecret(String secret, String uri) {
    @Override
    public String toString() {
      return "FactorSecret[]";
    }
  }

  record FactorCode(String code) {
    FactorCode {
      JsonBody.require("code", code);
      if (code.length() > CODE_LENGTH_MAX) {
        throw new IllegalArgumentException(
            "code must have at most " + CODE_LENGTH_MAX + " characters");
      }
    }

    @Override
    public String toString() {
      return "FactorCode[]";
    }
  }

  record RecoveryCodes(List<String> recoveryCodes) {
    @Override
    public String toString() {
      return "RecoveryCodes[]";
    }
  }

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping
  @Operation(summary = "State of an account's second factor", operationId = "getSecondFactor")
  SecondFactor get(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
    Account account = CallerAccess.visible(caller, accounts, id);
    SecondFactors.Status status = factors.status(id);
    return new SecondFactor(
        status.state().name().toLowerCase(Locale.ROOT),
        sessions.requires(account.role()),
        status.recoveryCodes());
  }

  @Refuses({ProblemType.NOT_FOUND, ProblemType.SECOND_FACTOR_ON})
  @PostMapping
  @ResponseStatus(HttpStatus.CREATED)
  @Operation(
      summary = "Make the secret of one's own second factor, for an authenticator app",
      description =
          "It is shown this once. Log-ins ask for a code only after the first right code has"
              + " confirmed it.",
      operationId = "beginSecondFactor")
  FactorSecret begin(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
    requireOwn(caller, id);
    SecondFactors.NewSecret made =
        factors
            .begin(id, clock.instant())
            .orElseThrow(() ->
                new ProblemException(
                    ProblemType.SECOND_FACTOR_ON,
                    "end it with a code first, or ask an operator to reset it"));
    return new FactorSecret(made.secret(), made.uri());
  }

  @Refuses({ProblemType.NOT_FOUND, ProblemType.WRONG_CODE, ProblemType.TOO_MANY_ATTEMPTS})
  @PutMapping
  @Operation(
      summary = "Turn one's own second factor on by its first code",
      description =
          "The answer has ten recovery codes, which are shown this once; each of them replaces a"
              + " code once. Other log-ins of the account end.",
      operationId = "confirmSecondFactor")
  RecoveryCodes confirm(
      @AuthenticationPrincipal Caller caller,
      Authentication login,
      @PathVariable String id,
      @RequestBody FactorCode sent) {
    requireOwn(caller, id);
    SecondFactors.Confirmation confirmation = factors.confirm(id, sent.code(), clock.instant());
    require(confirmation.check());
    sessions.endOthers(id, CallerAccess.token(login));
    return new RecoveryCodes(confirmation.recoveryCodes());
  }

  @Refuses({
    ProblemType.NOT_FOUND,
    ProblemType.WRONG_CODE,
    ProblemType.TOO_MANY_ATTEMPTS,
    ProblemType.SECOND_FACTOR_REQUIRED
  })
  @PostMapping("/end")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  @Operation(
      summary = "Turn one's own second factor off, with a code or a recovery code",
      operationId = "endSecondFactor")
  void end(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestBody FactorCode sent) {
    requireOwn(caller, id);
    if (sessions.requires(caller.role())) {
      throw new ProblemException(
          ProblemType.SECOND_FACTOR_REQUIRED,
          "for another app ask another operator to reset it, and set it up again");
    }
    require(factors.check(id, sent.code(), clock.instant()));
    factors.remove(id);
  }

  @Refuses(ProblemType.NOT_FOUND)
  @DeleteMapping
  @ResponseStatus(HttpStatus.NO_CONTENT)
  @Operation(
      summary = "Reset the second factor of another account, as an operator",
      description =
          "For users who have lost their app and their recovery codes. All log-ins of the account"
              + " end.",
      operationId = "resetSecondFactor")
  void reset(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
    if (caller.account().equals(id)) {
      throw ProblemException.invalid(
          "an operator cannot reset the own second factor: ask another operator");
    }
    if (!factors.remove(id)) {
      throw ProblemException.notFound();
    }
    challenges.endAll(id);
    sessions.endOthers(id, "");
  }

  private static void requireOwn(Caller caller, String id) {
    if (!caller.account().equals(id)) {
      throw ProblemException.notFound();
    }
  }

  /// Refuses a code that was not accepted.
  static void require(SecondFactors.Check check) {
    switch (check.outcome()) {
      case ACCEPTED, RECOVERED -> {}
      case NONE -> throw ProblemException.notFound();
      case BLOCKED ->
          throw new ProblemException(
              ProblemType.TOO_MANY_ATTEMPTS,
              "too many wrong codes: wait %d s".formatted(check.retryAfter().toSeconds() + 1),
              check.retryAfter());
      case WRONG ->
          throw new ProblemException(
              ProblemType.WRONG_CODE,
              "the code is not right: look at the app again, and at the clock of the device");
      case REUSED ->
          throw new ProblemException(
              ProblemType.WRONG_CODE, "each code is taken once: wait for the next one");
    }
  }
}
