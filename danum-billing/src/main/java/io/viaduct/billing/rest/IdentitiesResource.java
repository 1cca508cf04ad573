package io.viaduct.billing.rest;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.security.SecurityRequirements;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.Account;
import io.viaduct.billing.account.AccountState;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.identity.IdTokens;
import io.viaduct.billing.identity.Identities;
import io.viaduct.service.throttle.SourceNetwork;
import io.viaduct.service.throttle.TokenBuckets;
import io.viaduct.service.throttle.TrustedProxies;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/// Logs in whom an OpenID Connect provider has identified, and links accounts to its subjects.
@RestController
@Tag(name = "sessions")
class IdentitiesResource {
  private static final Logger LOG = LoggerFactory.getLogger(IdentitiesResource.class);
  private static final int SUBJECT_LENGTH_MAX = 255;

  /// A token with an unknown key makes billing ask the provider: a stranger may not do that without
  /// end.
  private static final int ATTEMPTS_OF_SOURCE = 30;

  private static final Duration SOURCE_PAUSE = Duration.ofSeconds(10);
  private static final int SOURCES_MAX = 10_000;

  private final IdTokens tokens;
  private final Identities identities;
  private final Accounts accounts;
  private final LoginSessions sessions;
  private final LoginGate gate;
  private final TrustedProxies proxies;
  private final InstantSource clock;
  private final TokenBuckets<SourceNetwork> sources;
  private final Counter begun;
  private final Counter refused;

  IdentitiesResource(
      IdTokens tokens,
      Identities identities,
      Accounts accounts,
      LoginSessions sessions,
      LoginGate gate,
      TrustedProxies proxies,
      InstantSource clock,
      MeterRegistry registry) {
    this.tokens = tokens;
    this.identities = identities;
    this.accounts = accounts;
    this.sessions = sessions;
    this.gate = gate;
    this.proxies = proxies;
    this.clock = clock;
    sources = new TokenBuckets<>(ATTEMPTS_OF_SOURCE, SOURCE_PAUSE, SOURCES_MAX, clock);
    begun = SessionsResource.counter(registry, "begun_by_provider");
    refused = SessionsResource.counter(registry, "refused_identity");
  }

  record IdentityLogin(String idToken) {
    IdentityLogin {
      JsonBody.require("idToken", idToken);
    }

    @Override
    public String toString() {
      return "IdentityLogin[]";
    }
  }

  record IdentityLink(String subject) {
    IdentityLink {
      JsonBody.require("subject", subject);
    }
  }

  record IdentityView(String issuer, String subject, Instant linkedAt, String linkedBy) {
    static IdentityView of(Identities.Link link) {
      return new IdentityView(link.issuer(), link.subject(), link.linkedAt(), link.linkedBy());
    }
  }

  @Refuses({
    ProblemType.IDENTITY_REFUSED,
    ProblemType.IDENTITY_UNKNOWN,
    ProblemType.NO_OIDC_PROVIDER,
    ProblemType.OIDC_PROVIDER_AWAY,
    ProblemType.TOO_MANY_ATTEMPTS
  })
  @PostMapping("/api/v1/sessions/identities")
  @ResponseStatus(HttpStatus.CREATED)
  @SecurityRequirements
  @Operation(
      summary = "Log in with an ID token of the configured OpenID Connect provider",
      description =
          "The token must be for the configured client, at most 5 min old, and not used before. The"
              + " sender has checked its nonce. The account is found by issuer and subject only.",
      operationId = "logInByIdentity")
  SessionsResource.Session logIn(@RequestBody IdentityLogin login, HttpServletRequest request) {
    requireProvider();
    takeTurn(request);
    Instant now = clock.instant();
    Account account;
    try {
      account = account(login.idToken(), now);
    } catch (ProblemException e) {
      refused.increment();
      throw e;
    }
    LoginSessions.NewLogin session = sessions.begin(account.id(), true, now);
    begun.increment();
    return SessionsResource.Session.of(
        session, account, gate.mark(gate.attempt(account.id(), null, request)), false);
  }

  private Account account(String idToken, Instant now) {
    try {
      return identities
          .account(tokens.accept(idToken, now), now)
          .filter(found -> found.state() != AccountState.CLOSED)
          .orElseThrow(() ->
              new ProblemException(
                  ProblemType.IDENTITY_UNKNOWN,
                  "ask an operator to link your account; none is taken over by its name or e-mail"
                      + " address"));
    } catch (IdTokens.RefusedException e) {
      throw new ProblemException(ProblemType.IDENTITY_REFUSED, String.valueOf(e.getMessage()));
    } catch (IdTokens.ProviderAwayException e) {
      LOG.warn("{}", e.getMessage());
      throw new ProblemException(
          ProblemType.OIDC_PROVIDER_AWAY, "its keys cannot be read now: try again");
    }
  }

  private void requireProvider() {
    if (!identities.isConfigured()) {
      throw new ProblemException(
          ProblemType.NO_OIDC_PROVIDER, "users.oidc.issuer of billing's configuration is empty");
    }
  }

  private void takeTurn(HttpServletRequest request) {
    SourceNetwork source =
        SourceNetwork.of(proxies.visitor(request.getRemoteAddr(), request::getHeaders));
    if (!sources.take(source)) {
      Duration pause = sources.untilNext(source);
      throw new ProblemException(
          ProblemType.TOO_MANY_ATTEMPTS,
          "too many attempts: wait %d s".formatted(pause.toSeconds() + 1),
          pause);
    }
  }

  @Refuses({ProblemType.NOT_FOUND, ProblemType.NO_OIDC_PROVIDER})
  @GetMapping("/api/v1/accounts/{id}/identity")
  @Operation(summary = "The provider's subject of an account", operationId = "getIdentity")
  IdentityView get(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
    requireProvider();
    CallerAccess.requireOwn(caller, id);
    return identities.find(id).map(IdentityView::of).orElseThrow(ProblemException::notFound);
  }

  @Refuses({ProblemType.NOT_FOUND, ProblemType.IDENTITY_TAKEN, ProblemType.NO_OIDC_PROVIDER})
  @PutMapping("/api/v1/accounts/{id}/identity")
  @Operation(
      summary = "Link an account to a subject of the provider, as an operator",
      description = "Whoever the provider knows by this subject logs in as the account.",
      operationId = "linkIdentity")
  IdentityView link(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestBody IdentityLink wanted) {
    requireProvider();
    if (wanted.subject().isBlank()) {
      throw ProblemException.invalid("subject must not be empty");
    }
    String subject = PlainText.require("subject", wanted.subject(), SUBJECT_LENGTH_MAX);
    Account account = CallerAccess.visible(caller, accounts, id);
    if (account.state() == AccountState.CLOSED) {
      throw ProblemException.notFound();
    }
    try {
      identities.link(id, subject, caller.account(), clock.instant());
    } catch (Identities.TakenException e) {
      throw new ProblemException(
          ProblemType.IDENTITY_TAKEN, "take the link of the other account away first");
    } catch (IllegalArgumentException e) {
      throw ProblemException.invalid(String.valueOf(e.getMessage()));
    }
    return identities.find(id).map(IdentityView::of).orElseThrow();
  }

  @Refuses({ProblemType.NOT_FOUND, ProblemType.NO_OIDC_PROVIDER})
  @DeleteMapping("/api/v1/accounts/{id}/identity")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  @Operation(
      summary = "Take the link of an account to the provider away, as an operator",
      description = "All log-ins of the account end.",
      operationId = "unlinkIdentity")
  void unlink(@PathVariable String id) {
    requireProvider();
    if (!identities.unlink(id)) {
      throw ProblemException.notFound();
    }
    sessions.endOthers(id, "");
  }
}
