package io.viaduct.billing.rest;

import static io.viaduct.billing.account.Role.AUDITOR;
import static io.viaduct.billing.account.Role.OPERATOR;
import static io.viaduct.billing.account.Role.SNAPT_OWNER;
import static io.viaduct.billing.account.Role.USER;
import static org.springframework.http.HttpMethod.DELETE;
import static org.springframework.http.HttpMethod.PATCH;
import static org.springframework.http.HttpMethod.POST;
import static org.springframework.http.HttpMethod.PUT;

import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.account.Role;
import io.viaduct.billing.account.Scope;
import jakarta.servlet.http.HttpServletRequest;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.authorization.AuthorizationManager;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.access.intercept.RequestAuthorizationContext;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;
import org.springframework.security.web.util.matcher.OrRequestMatcher;
import org.springframework.security.web.util.matcher.RequestMatcher;

/// Lists the roles that may send each request, and the scope that an API token needs for it. The
/// first line that fits a request decides. A resource decides in addition which accounts its caller
/// may see ([CallerAccess]).
final class AccessRules implements AuthorizationManager<RequestAuthorizationContext> {
  private static final String ACCOUNT = "/api/v1/accounts/*";

  private record Rule(RequestMatcher requests, Set<Role> roles) {
    static Rule of(RequestMatcher requests, Role... roles) {
      return new Rule(requests, EnumSet.copyOf(List.of(roles)));
    }
  }

  /// Requests that have a method other than GET and change nothing.
  private static final RequestMatcher COMPUTES =
      any(
          at(POST, "/api/v1/rating/simulate"),
          at(POST, "/api/v1/reratings/preview"),
          at(POST, "/api/v1/tariffs/simulate"),
          at(POST, "/api/v1/tariffs/check"),
          at(POST, "/api/v1/tariffs/diff"));

  /// The only requests of a log-in that lacks the second factor it must have.
  private static final RequestMatcher SETS_SECOND_FACTOR =
      any(at(DELETE, "/api/v1/sessions/current"), at(ACCOUNT + "/second-factor"));

  private static final List<Rule> RULES =
      List.of(
          Rule.of(at(DELETE, ACCOUNT + "/second-factor"), OPERATOR),
          Rule.of(
              any(
                  at(DELETE, "/api/v1/sessions/current"),
                  at(PUT, ACCOUNT + "/password"),
                  at(ACCOUNT + "/second-factor/**"),
                  at(ACCOUNT + "/tokens/**")),
              USER,
              OPERATOR,
              AUDITOR,
              SNAPT_OWNER),
          Rule.of(
              any(
                  at(PUT, ACCOUNT + "/credit/caps"),
                  at(PUT, ACCOUNT + "/credit/alert"),
                  at(DELETE, ACCOUNT + "/devices/*"),
                  at(PATCH, ACCOUNT + "/devices/*"),
                  at(POST, ACCOUNT + "/redemptions"),
                  at(POST, ACCOUNT + "/payments"),
                  at(POST, ACCOUNT + "/webhooks/**"),
                  at(PUT, ACCOUNT + "/webhooks/*"),
                  at(DELETE, ACCOUNT + "/webhooks/*")),
              USER,
              OPERATOR),
          Rule.of(
              any(
                  reads("/api/v1/snapts"),
                  reads("/api/v1/snapts/*"),
                  reads("/api/v1/owners/*/fees")),
              OPERATOR,
              AUDITOR,
              SNAPT_OWNER),
          Rule.of(reads("/api/v1/owners/*/surcharges"), USER, OPERATOR, AUDITOR, SNAPT_OWNER),
          Rule.of(
              any(
                  reads(ACCOUNT + "/**"),
                  reads("/api/v1/charges/*"),
                  reads("/api/v1/charges/*/payment"),
                  reads("/api/v1/charges/*/explain"),
                  reads("/api/v1/charges/*/revisions"),
                  reads("/api/v1/tariffs/**"),
                  at(POST, "/api/v1/rating/simulate")),
              USER,
              OPERATOR,
              AUDITOR),
          Rule.of(any(AccessRules::isRead, COMPUTES), OPERATOR, AUDITOR),
          Rule.of(_ -> true, OPERATOR));

  private record ScopeRule(RequestMatcher requests, Scope scope) {}

  /// Requests that no API token may send: they are about secrets.
  private static final RequestMatcher LOG_IN_ONLY =
      any(
          at("/api/v1/sessions/**"),
          at(PUT, ACCOUNT + "/password"),
          at(POST, ACCOUNT + "/password-resets"),
          at(ACCOUNT + "/second-factor/**"),
          at(PUT, ACCOUNT + "/identity"),
          at(DELETE, ACCOUNT + "/identity"),
          at(ACCOUNT + "/tokens/**"));

  private static final List<ScopeRule> SCOPES =
      List.of(
          new ScopeRule(AccessRules::changesNothing, Scope.READ),
          new ScopeRule(
              any(
                  at(ACCOUNT + "/top-ups"),
                  at(ACCOUNT + "/credits"),
                  at(ACCOUNT + "/grants"),
                  at(ACCOUNT + "/allowance"),
                  at(ACCOUNT + "/redemptions"),
                  at(ACCOUNT + "/payments"),
                  at("/api/v1/reratings/**"),
                  at("/api/v1/vouchers/**")),
              Scope.MONEY),
          new ScopeRule(at(ACCOUNT + "/webhooks/**"), Scope.WEBHOOKS),
          new ScopeRule(at("/api/v1/accounts/**"), Scope.ACCOUNTS),
          new ScopeRule(
              any(
                  at("/api/v1/tariffs/**"),
                  at("/api/v1/tariff-drafts/**"),
                  at("/api/v1/tariff-trials/**"),
                  at("/api/v1/owners/*/surcharges")),
              Scope.TARIFFS),
          new ScopeRule(at("/api/v1/snapts/**"), Scope.SNAPTS),
          new ScopeRule(any(at("/api/v1/reports/**"), at("/api/v1/ledger/**")), Scope.REPORTS));

  /// Returns the scope that an API token needs for a request; empty if no token may send it.
  private static Optional<Scope> scope(HttpServletRequest request) {
    return LOG_IN_ONLY.matches(request)
        ? Optional.empty()
        : SCOPES.stream()
            .filter(rule -> rule.requests().matches(request))
            .map(ScopeRule::scope)
            .findFirst();
  }

  private static boolean isInScope(HttpServletRequest request, Caller caller) {
    Set<Scope> scopes = caller.scopes();
    return scopes == null || scope(request).filter(scopes::contains).isPresent();
  }

  /// Returns the reason why a caller may not send a request.
  static String refusal(HttpServletRequest request, Caller caller) {
    if (lacksSecondFactor(request, caller)) {
      return "operators and auditors need a second factor here: set it up at"
          + " POST /api/v1/accounts/%s/second-factor".formatted(caller.account());
    }
    Set<Role> roles = roles(request);
    if (!roles.contains(caller.role())) {
      return "account '%s' is %s; this is for %s"
          .formatted(
              caller.account(),
              caller.role().word(),
              roles.stream().map(Role::word).collect(Collectors.joining(", ")));
    }
    return scope(request)
        .map(scope -> "the token needs the scope '" + scope.word() + "'")
        .orElse("a token cannot do this: log in");
  }

  private static boolean lacksSecondFactor(HttpServletRequest request, Caller caller) {
    return caller.lacksSecondFactor() && !SETS_SECOND_FACTOR.matches(request);
  }

  /// Returns true if a request changes nothing, whatever its method is.
  static boolean changesNothing(HttpServletRequest request) {
    return isRead(request) || COMPUTES.matches(request);
  }

  private static Set<Role> roles(HttpServletRequest request) {
    return rule(request).roles();
  }

  private static Rule rule(HttpServletRequest request) {
    return RULES.stream()
        .filter(rule -> rule.requests().matches(request))
        .findFirst()
        .orElseThrow();
  }

  @Override
  public AuthorizationDecision authorize(
      Supplier<? extends @Nullable Authentication> login, RequestAuthorizationContext context) {
    Authentication known = login.get();
    return new AuthorizationDecision(
        known != null
            && known.getPrincipal() instanceof Caller caller
            && roles(context.getRequest()).contains(caller.role())
            && !lacksSecondFactor(context.getRequest(), caller)
            && isInScope(context.getRequest(), caller));
  }

  private static boolean isRead(HttpServletRequest request) {
    return request.getMethod().equals("GET") || request.getMethod().equals("HEAD");
  }

  private static RequestMatcher reads(String path) {
    RequestMatcher place = PathPatternRequestMatcher.withDefaults().matcher(path);
    return request -> isRead(request) && place.matches(request);
  }

  private static RequestMatcher at(String path) {
    return PathPatternRequestMatcher.withDefaults().matcher(path);
  }

  private static RequestMatcher at(HttpMethod method, String path) {
    return PathPatternRequestMatcher.withDefaults().matcher(method, path);
  }

  private static RequestMatcher any(RequestMatcher... some) {
    return new OrRequestMatcher(some);
  }
}
