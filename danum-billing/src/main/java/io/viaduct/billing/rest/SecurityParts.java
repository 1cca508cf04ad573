package io.viaduct.billing.rest;

import static org.springframework.http.HttpMethod.POST;

import io.viaduct.billing.account.ApiTokens;
import io.viaduct.billing.account.LoginSessions;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.spring.rest.BearerSecurity;
import io.viaduct.spring.rest.BearerToken;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.InstantSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpMethod;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.AnonymousAuthenticationFilter;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;
import org.springframework.security.web.util.matcher.OrRequestMatcher;
import org.springframework.security.web.util.matcher.RequestMatcher;
import org.springframework.web.servlet.HandlerExceptionResolver;

/// Authenticates the callers of the interface. [AccessRules] lists who may send which request.
@Configuration(proxyBeanMethods = false)
class SecurityParts {
  /// Requests of a caller who has no token: the log-in in all its forms, the use of a link for a
  /// new password, the signed events of the payment provider, the published roots, and the
  /// description of the interface.
  private static final RequestMatcher OPEN =
      new OrRequestMatcher(
          at(POST, "/api/v1/sessions"),
          at(POST, "/api/v1/sessions/codes"),
          at(POST, "/api/v1/sessions/identities"),
          at(POST, "/api/v1/payments/events"),
          at(POST, "/api/v1/password-resets"),
          at("/api/v1/statement-roots/**"),
          at("/v3/api-docs/**"),
          at("/v3/api-docs.yaml"),
          at("/error"));

  /// The database did not answer, so the token could not be checked.
  private static final class UncheckedTokenException extends AuthenticationException {
    private static final long serialVersionUID = 1L;

    UncheckedTokenException(DataAccessException cause) {
      super("the token cannot be checked now", cause);
    }
  }

  private static RequestMatcher at(String path) {
    return PathPatternRequestMatcher.withDefaults().matcher(path);
  }

  private static RequestMatcher at(HttpMethod method, String path) {
    return PathPatternRequestMatcher.withDefaults().matcher(method, path);
  }

  @Bean
  Callers knownCallers(LoginSessions logins, ApiTokens tokens, InstantSource clock) {
    return new Callers(logins, tokens, clock);
  }

  @Bean
  @Order(1)
  SecurityFilterChain open(HttpSecurity http) {
    return http.securityMatcher(OPEN)
        .csrf(AbstractHttpConfigurer::disable)
        .headers(AbstractHttpConfigurer::disable)
        .logout(AbstractHttpConfigurer::disable)
        .requestCache(AbstractHttpConfigurer::disable)
        .authorizeHttpRequests(all -> all.anyRequest().permitAll())
        .build();
  }

  /// Protects all other requests, also those that no resource answers.
  @Bean
  @Order(2)
  SecurityFilterChain callers(
      HttpSecurity http,
      Callers known,
      BillingConfiguration configuration,
      InstantSource clock,
      @Qualifier("handlerExceptionResolver") ObjectProvider<HandlerExceptionResolver> problems) {
    Refusals refusals = new Refusals(problems);
    return BearerSecurity.apply(
            http, token -> caller((BearerToken) token, known), refusals::unauthenticated)
        .addFilterAfter(
            new RequestRates(configuration.rateLimit(), clock, refusals::answer),
            AnonymousAuthenticationFilter.class)
        .exceptionHandling(failures -> failures.accessDeniedHandler(refusals::forbidden))
        .authorizeHttpRequests(all ->
            all.dispatcherTypeMatchers(DispatcherType.ASYNC, DispatcherType.ERROR)
                .permitAll()
                .anyRequest()
                .access(new AccessRules()))
        .build();
  }

  private static Authentication caller(BearerToken token, Callers known) {
    try {
      String secret = token.getCredentials();
      return known
          .of(secret)
          .map(caller ->
              UsernamePasswordAuthenticationToken.authenticated(
                  caller, secret, AuthorityUtils.createAuthorityList(caller.role().name())))
          .orElseThrow(() ->
              new BadCredentialsException(
                  "the token is unknown, ended or expired: log in at POST /api/v1/sessions"));
    } catch (DataAccessException e) {
      throw new UncheckedTokenException(e);
    }
  }

  /// Answers refusals in the form that all refusals have ([Problems]).
  private record Refusals(ObjectProvider<HandlerExceptionResolver> problems) {
    void unauthenticated(
        HttpServletRequest request, HttpServletResponse response, AuthenticationException e) {
      answer(
          request,
          response,
          e instanceof UncheckedTokenException && e.getCause() instanceof DataAccessException away
              ? away
              : new ProblemException(
                  ProblemType.UNAUTHENTICATED,
                  e instanceof BadCredentialsException
                      ? String.valueOf(e.getMessage())
                      : "send the header Authorization: Bearer <token>"));
    }

    void forbidden(HttpServletRequest request, HttpServletResponse response, Exception e) {
      answer(
          request,
          response,
          new ProblemException(
              ProblemType.FORBIDDEN,
              request.getUserPrincipal() instanceof Authentication login
                      && login.getPrincipal() instanceof Caller caller
                  ? AccessRules.refusal(request, caller)
                  : "this is not for you"));
    }

    private void answer(
        HttpServletRequest request, HttpServletResponse response, Exception refusal) {
      var unused = problems.getObject().resolveException(request, response, null, refusal);
    }
  }
}
