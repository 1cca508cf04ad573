package io.viaduct.webgui.login;

import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.OpenedSession;
import io.viaduct.webgui.configuration.WebguiConfiguration;
import io.viaduct.webgui.login.BillingLogin.Outcome;
import io.viaduct.webgui.peer.PeerAwayException;
import io.viaduct.webgui.peer.PeerRefusedException;
import io.viaduct.webgui.peer.SessionEndedException;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.config.ObjectPostProcessor;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.oauth2.client.OAuth2LoginConfigurer;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestRedirectFilter;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizedClientRepository;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.web.context.HttpSessionSecurityContextRepository;
import org.springframework.security.web.context.NullSecurityContextRepository;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;

/// The log-in at the provider: gives billing the provider's ID token, and signs the visitor in with
/// billing's answer. The provider's access token is dropped.
final class ProviderLogin {
  private static final Logger LOG = LoggerFactory.getLogger(ProviderLogin.class);

  /// The ID token in the session, then the address in the request that ends it.
  private static final String ID_TOKEN = "id-token";

  private final Provider provider;
  private final Billing billing;
  private final BillingLogin logins;
  private final WebguiConfiguration configuration;
  private final SignIn signIn;

  ProviderLogin(
      Provider provider, Billing billing, BillingLogin logins, WebguiConfiguration configuration) {
    this.provider = provider;
    this.billing = billing;
    this.logins = logins;
    this.configuration = configuration;
    signIn = new SignIn(configuration);
  }

  void apply(OAuth2LoginConfigurer<HttpSecurity> login) {
    login
        .loginPage("/login")
        .clientRegistrationRepository(provider.registrations())
        .authorizedClientRepository(new NoClients())
        .authorizationEndpoint(there -> there.authorizationRequestResolver(provider.requests()))
        // The provider's user is nobody here: only billing's answer is kept.
        .securityContextRepository(new NullSecurityContextRepository())
        .successHandler(this::identified)
        .failureHandler((request, response, e) -> refuse(request, response, Outcome.PROVIDER, e))
        .withObjectPostProcessor(
            new ObjectPostProcessor<OAuth2AuthorizationRequestRedirectFilter>() {
              @Override
              public <O extends OAuth2AuthorizationRequestRedirectFilter> O postProcess(O filter) {
                filter.setAuthenticationFailureHandler(
                    (request, response, e) -> refuse(request, response, Outcome.PROVIDER, e));
                return filter;
              }
            });
  }

  private void identified(
      HttpServletRequest request, HttpServletResponse response, Authentication identified)
      throws ServletException, IOException {
    // Spring Security has kept the provider's user in the session: it must not outlive a refusal.
    SecurityContextHolder.clearContext();
    request
        .getSession()
        .removeAttribute(HttpSessionSecurityContextRepository.SPRING_SECURITY_CONTEXT_KEY);
    if (!(identified.getPrincipal() instanceof OidcUser user)) {
      refuse(request, response, Outcome.PROVIDER, null);
      return;
    }
    Browser browser = Browser.of(request, configuration.http().trustedProxies());
    String idToken = user.getIdToken().getTokenValue();
    OpenedSession session;
    try {
      session = billing.openSession(idToken, browser.address());
    } catch (PeerAwayException e) {
      refuse(request, response, Outcome.AWAY, null);
      return;
    } catch (PeerRefusedException e) {
      refuse(request, response, outcome(e.status()), null);
      return;
    } catch (SessionEndedException e) {
      refuse(request, response, Outcome.PROVIDER, null);
      return;
    }
    logins.count(Outcome.ACCEPTED);
    request.getSession().setAttribute(ID_TOKEN, idToken);
    signIn.accept(request, response, session, browser);
  }

  private static Outcome outcome(int status) {
    return switch (status) {
      case 403 -> Outcome.UNLINKED;
      case 429 -> Outcome.THROTTLED;
      default -> Outcome.PROVIDER;
    };
  }

  private void refuse(
      HttpServletRequest request,
      HttpServletResponse response,
      Outcome outcome,
      @Nullable AuthenticationException cause)
      throws IOException {
    if (cause != null) {
      LOG.warn("log-in by the provider refused: {}", cause.getMessage());
    }
    logins.count(outcome);
    String problem =
        switch (outcome) {
          case UNLINKED -> "unlinked";
          case THROTTLED -> "throttled";
          case AWAY -> "away";
          default -> "provider";
        };
    response.sendRedirect(request.getContextPath() + "/login?problem=" + problem);
  }

  /// Keeps no access token: none is used.
  private static final class NoClients implements OAuth2AuthorizedClientRepository {
    @Override
    @SuppressWarnings("NullAway") // null is how Spring Security says: there is none
    public <T extends OAuth2AuthorizedClient> T loadAuthorizedClient(
        String id, Authentication principal, HttpServletRequest request) {
      return null;
    }

    @Override
    public void saveAuthorizedClient(
        OAuth2AuthorizedClient client,
        Authentication principal,
        HttpServletRequest request,
        HttpServletResponse response) {}

    @Override
    public void removeAuthorizedClient(
        String id,
        Authentication principal,
        HttpServletRequest request,
        HttpServletResponse response) {}
  }

  /// Remembers, before the session ends, where a visitor of the provider logs out there.
  void rememberLogout(HttpServletRequest request) {
    var session = request.getSession(false);
    if (session != null && session.getAttribute(ID_TOKEN) instanceof String idToken) {
      String own = ServletUriComponentsBuilder.fromContextPath(request).toUriString();
      request.setAttribute(ID_TOKEN, provider.logout(idToken, own));
    }
  }

  /// Returns where a visitor goes after logging out here; null for a visitor with a password.
  static @Nullable String afterLogout(HttpServletRequest request) {
    return request.getAttribute(ID_TOKEN) instanceof String address ? address : null;
  }
}
