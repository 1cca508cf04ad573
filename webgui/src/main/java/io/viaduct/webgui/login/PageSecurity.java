package io.viaduct.webgui.login;

import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.configuration.WebguiConfiguration;
import io.viaduct.webgui.configuration.WebguiConfiguration.Oidc;
import io.viaduct.webgui.login.BillingLogin.CodeNeeded;
import io.viaduct.webgui.login.RefusedRequests.Reason;
import io.viaduct.webgui.peer.PeerAwayException;
import io.viaduct.webgui.peer.PeerRefusedException;
import io.viaduct.webgui.peer.SessionEndedException;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.authentication.LockedException;
import org.springframework.security.authentication.ProviderManager;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.AccessDeniedHandlerImpl;
import org.springframework.security.web.access.intercept.AuthorizationFilter;
import org.springframework.security.web.access.intercept.RequestAuthorizationContext;
import org.springframework.security.web.authentication.LoginUrlAuthenticationEntryPoint;
import org.springframework.security.web.csrf.CsrfException;
import org.springframework.security.web.header.writers.CrossOriginOpenerPolicyHeaderWriter.CrossOriginOpenerPolicy;
import org.springframework.security.web.header.writers.CrossOriginResourcePolicyHeaderWriter.CrossOriginResourcePolicy;
import org.springframework.security.web.header.writers.ReferrerPolicyHeaderWriter.ReferrerPolicy;
import org.springframework.security.web.savedrequest.HttpSessionRequestCache;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;
import org.springframework.security.web.util.matcher.AnyRequestMatcher;
import org.springframework.security.web.util.matcher.OrRequestMatcher;
import org.springframework.security.web.util.matcher.RequestMatcher;

/// Says which page is open to which role, and sets the security headers of every answer. The list
/// is read from top to bottom.
@Configuration(proxyBeanMethods = false)
public class PageSecurity {
  // No inline script or style, nothing from elsewhere, no framing, forms only to ourselves.
  private static final String CONTENT_SECURITY_POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
          + "connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'";

  private static final int SECONDS_PER_YEAR = 31_536_000;

  /// Pages of operators. An auditor may read them.
  private static final RequestMatcher OF_OPERATORS =
      any(
          at("/accounts"),
          at("/accounts/*/credit/**"),
          at("/audit"),
          at("/audit.csv"),
          at("/cdr-files/**"),
          at("/credit/**"),
          at("/ledger/**"),
          at("/operator/**"),
          at("/registrations/**"),
          at("/reratings/**"),
          at("/reports/**"),
          at("/snapts/**"),
          at("/tariffs/**"),
          at("/vouchers/**"),
          post("/accounts/*/top-ups"),
          post("/accounts/*/credits"),
          post("/accounts/*/state"),
          post("/accounts/*/password-resets"));

  // The form that logs out leads to the provider.
  private static String contentSecurityPolicy(Oidc oidc) {
    return oidc.hasIssuer()
        ? CONTENT_SECURITY_POLICY + " " + Provider.origin(oidc)
        : CONTENT_SECURITY_POLICY;
  }

  private static RequestMatcher any(RequestMatcher... some) {
    return new OrRequestMatcher(some);
  }

  private static RequestMatcher at(String path) {
    return PathPatternRequestMatcher.withDefaults().matcher(path);
  }

  private static RequestMatcher post(String path) {
    return PathPatternRequestMatcher.withDefaults().matcher(HttpMethod.POST, path);
  }

  private static boolean isRead(HttpServletRequest request) {
    return request.getMethod().equals("GET") || request.getMethod().equals("HEAD");
  }

  @Bean
  SecurityFilterChain pages(
      HttpSecurity http,
      WebguiConfiguration configuration,
      Billing billing,
      BillingLogin login,
      RefusedRequests refused,
      InstantSource clock)
      throws Exception {
    Oidc oidc = configuration.oidc();
    Provider provider = new Provider(oidc);
    ProviderLogin byProvider = new ProviderLogin(provider, billing, login, configuration);
    if (oidc.hasIssuer()) {
      http.oauth2Login(byProvider::apply);
    }
    // Exactly these: the global manager would ask the same provider a second time after a refusal.
    return http.authenticationManager(
            oidc.hasIssuer()
                ? new ProviderManager(login, provider.codes())
                : new ProviderManager(login))
        .authorizeHttpRequests(pages ->
            pages
                // ASYNC is the end of a live page: its visitor was checked at its beginning.
                .dispatcherTypeMatchers(
                    DispatcherType.ERROR, DispatcherType.FORWARD, DispatcherType.ASYNC)
                .permitAll()
                .requestMatchers(
                    "/login",
                    "/login/code",
                    "/reset",
                    "/language",
                    "/statement-roots.json",
                    "/assets/**",
                    "/webjars/**",
                    "/favicon.ico")
                .permitAll()
                // Served on the operations port only; here they are a 404.
                .requestMatchers("/livez", "/readyz", "/metrics")
                .permitAll()
                .requestMatchers(request -> isRead(request) && OF_OPERATORS.matches(request))
                .hasAnyRole("OPERATOR", "AUDITOR")
                .requestMatchers(OF_OPERATORS)
                .hasRole("OPERATOR")
                .requestMatchers("/owners/{account}/fees")
                .access((visitor, request) -> mayOpenFees(visitor.get(), request))
                .requestMatchers(
                    "/accounts/{account}/tokens/**", "/accounts/{account}/second-factor/**")
                .access((visitor, request) -> mayOpenSecrets(visitor.get(), request))
                .requestMatchers("/accounts/{account}/**")
                .access((visitor, request) -> mayOpen(visitor.get(), request))
                .anyRequest()
                .authenticated())
        .formLogin(form ->
            form.loginPage("/login")
                .authenticationDetailsSource(
                    request -> Browser.of(request, configuration.http().trustedProxies()))
                .successHandler(
                    new LoginSuccess(
                        configuration.limits().sessionIdle(), configuration.http().secureCookies()))
                .failureHandler((request, response, e) -> {
                  if (e instanceof CodeNeeded needed) {
                    CodePage.keep(request, needed);
                    response.sendRedirect(request.getContextPath() + "/login/code");
                  } else {
                    response.sendRedirect(
                        request.getContextPath() + "/login?problem=" + problem(e));
                  }
                }))
        .logout(logout ->
            logout
                .logoutSuccessHandler((request, response, visitor) -> {
                  String there = ProviderLogin.afterLogout(request);
                  response.sendRedirect(
                      there == null ? request.getContextPath() + "/login?problem=out" : there);
                })
                .addLogoutHandler((request, response, visitor) -> {
                  byProvider.rememberLogout(request);
                  close(billing, visitor);
                }))
        .requestCache(cache -> cache.requestCache(pagesOnly()))
        .exceptionHandling(failures ->
            failures
                .authenticationEntryPoint(new LoginEntry(refused))
                .accessDeniedHandler((request, response, e) -> {
                  refused.count(e instanceof CsrfException ? Reason.CSRF : Reason.NOT_ALLOWED);
                  new AccessDeniedHandlerImpl().handle(request, response, e);
                }))
        .addFilterBefore(new ExpiryFilter(clock), AuthorizationFilter.class)
        .addFilterBefore(new SecondFactorFilter(), AuthorizationFilter.class)
        .headers(headers ->
            headers
                .contentSecurityPolicy(csp -> csp.policyDirectives(contentSecurityPolicy(oidc)))
                .referrerPolicy(referrer -> referrer.policy(ReferrerPolicy.SAME_ORIGIN))
                .permissionsPolicyHeader(features ->
                    features.policy("camera=(), geolocation=(), microphone=(), payment=()"))
                .crossOriginOpenerPolicy(
                    opener -> opener.policy(CrossOriginOpenerPolicy.SAME_ORIGIN))
                .crossOriginResourcePolicy(
                    resource -> resource.policy(CrossOriginResourcePolicy.SAME_ORIGIN))
                .httpStrictTransportSecurity(hsts -> {
                  if (configuration.http().secureCookies()) {
                    hsts.requestMatcher(AnyRequestMatcher.INSTANCE)
                        .maxAgeInSeconds(SECONDS_PER_YEAR);
                  }
                }))
        .build();
  }

  private static AuthorizationDecision mayOpen(
      @Nullable Authentication visitor, RequestAuthorizationContext request) {
    String account = request.getVariables().getOrDefault("account", "");
    return new AuthorizationDecision(
        visitor != null
            && visitor.getPrincipal() instanceof SignedIn signedIn
            && signedIn.mayOpen(account)
            && (signedIn.mayChange()
                || isRead(request.getRequest())
                || isOwnSecret(signedIn, request.getRequest())));
  }

  // An auditor changes nothing but the own password, tokens and second factor.
  private static boolean isOwnSecret(SignedIn visitor, HttpServletRequest request) {
    String own = "/accounts/" + visitor.account();
    return any(post(own + "/password"), post(own + "/tokens/**"), post(own + "/second-factor/**"))
        .matches(request);
  }

  private static AuthorizationDecision mayOpenSecrets(
      @Nullable Authentication visitor, RequestAuthorizationContext request) {
    return new AuthorizationDecision(
        visitor != null
            && visitor.getPrincipal() instanceof SignedIn signedIn
            && (signedIn.account().equals(request.getVariables().get("account"))
                || signedIn.isOperator()
                || signedIn.readsAll() && isRead(request.getRequest())));
  }

  private static AuthorizationDecision mayOpenFees(
      @Nullable Authentication visitor, RequestAuthorizationContext request) {
    return new AuthorizationDecision(
        visitor != null
            && visitor.getPrincipal() instanceof SignedIn signedIn
            && (signedIn.readsAll()
                || signedIn.ownsSnapts()
                    && signedIn.account().equals(request.getVariables().get("account"))));
  }

  private static String problem(AuthenticationException e) {
    return switch (e) {
      case LockedException _ -> "throttled";
      case AuthenticationServiceException _ -> "away";
      default -> "wrong";
    };
  }

  private static void close(Billing billing, @Nullable Authentication visitor) {
    if (visitor != null && visitor.getPrincipal() instanceof SignedIn signedIn) {
      try {
        billing.closeSession(signedIn.token());
      } catch (PeerAwayException | PeerRefusedException | SessionEndedException e) {
        // The browser session ends whatever billing says; the token there dies of age.
        // The failure is counted where it happened.
        return;
      }
    }
  }

  /// After log-in the visitor goes on to the page that was asked for, never to a fragment of one.
  @SuppressWarnings("NullAway") // null is how Spring Security says: add no ?continue to the address
  private static HttpSessionRequestCache pagesOnly() {
    HttpSessionRequestCache cache = new HttpSessionRequestCache();
    cache.setRequestMatcher(request ->
        request.getMethod().equals("GET")
            && request.getHeader("HX-Request") == null
            && String.valueOf(request.getHeader("Accept")).contains("text/html"));
    cache.setMatchingRequestParameterName(null);
    return cache;
  }

  /// Sends people to the log-in page, scripts to the same place in the way that they understand.
  private static final class LoginEntry extends LoginUrlAuthenticationEntryPoint {
    private final RefusedRequests refused;

    LoginEntry(RefusedRequests refused) {
      super("/login");
      setFavorRelativeUris(true);
      this.refused = refused;
    }

    @Override
    public void commence(
        HttpServletRequest request, HttpServletResponse response, AuthenticationException e)
        throws IOException, jakarta.servlet.ServletException {
      boolean fragment = request.getHeader("HX-Request") != null;
      boolean stream = String.valueOf(request.getHeader("Accept")).contains("text/event-stream");
      if (fragment || stream) {
        refused.count(Reason.NOT_SIGNED_IN);
        response.setHeader("HX-Redirect", request.getContextPath() + "/login");
        response.setStatus(HttpServletResponse.SC_UNAUTHORIZED);
        return;
      }
      super.commence(request, response, e);
    }
  }
}
