package io.viaduct.webgui.login;

import io.viaduct.webgui.billing.OpenedSession;
import io.viaduct.webgui.configuration.WebguiConfiguration;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.context.HttpSessionSecurityContextRepository;
import org.springframework.security.web.csrf.HttpSessionCsrfTokenRepository;

/// Signs a visitor in whose log-in did not end with the password form: the code of a second factor,
/// or a provider. The session gets another id and another CSRF token, as after the form.
public final class SignIn {
  private final HttpSessionSecurityContextRepository contexts =
      new HttpSessionSecurityContextRepository();
  private final HttpSessionCsrfTokenRepository csrf = new HttpSessionCsrfTokenRepository();
  private final LoginSuccess success;

  public SignIn(WebguiConfiguration configuration) {
    success =
        new LoginSuccess(
            configuration.limits().sessionIdle(), configuration.http().secureCookies());
  }

  /// Signs in, and answers with the page that was asked for.
  void accept(
      HttpServletRequest request,
      HttpServletResponse response,
      OpenedSession session,
      Browser browser)
      throws ServletException, IOException {
    Authentication visitor = BillingLogin.authenticated(session, browser);
    var unused = request.changeSessionId();
    csrf.saveToken(null, request, response);
    keep(request, response, visitor);
    success.onAuthenticationSuccess(request, response, visitor);
  }

  /// Keeps a visitor in the session.
  public void keep(
      HttpServletRequest request, HttpServletResponse response, Authentication visitor) {
    SecurityContext context = SecurityContextHolder.createEmptyContext();
    context.setAuthentication(visitor);
    SecurityContextHolder.setContext(context);
    contexts.saveContext(context, request, response);
  }
}
