package io.viaduct.webgui.login;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.authentication.SavedRequestAwareAuthenticationSuccessHandler;

/// Marks the browser as known to billing. A session that has only seen the log-in page is
/// short-lived; one with a visitor in it lives as long as `limits.session-idle` says.
final class LoginSuccess extends SavedRequestAwareAuthenticationSuccessHandler {
  private final Duration idle;
  private final boolean secureCookies;

  LoginSuccess(Duration idle, boolean secureCookies) {
    this.idle = idle;
    this.secureCookies = secureCookies;
    setRedirectStrategy((request, response, url) -> response.sendRedirect(path(url)));
  }

  // The page that was asked for is kept with the Host header that the visitor sent. Only its path
  // counts, and never one that a browser takes for another host.
  private static String path(String url) {
    URI asked;
    try {
      asked = URI.create(url);
    } catch (IllegalArgumentException _) {
      return "/";
    }
    String path = asked.getRawPath() == null ? "" : asked.getRawPath();
    String query = asked.getRawQuery() == null ? "" : "?" + asked.getRawQuery();
    return "/" + path.replaceFirst("^[/\\\\]+", "") + query;
  }

  @Override
  public void onAuthenticationSuccess(
      HttpServletRequest request, HttpServletResponse response, Authentication visitor)
      throws ServletException, IOException {
    request.getSession().setMaxInactiveInterval(Math.toIntExact(idle.toSeconds()));
    if (visitor.getDetails() instanceof Browser browser) {
      browser.keepMark(request, response, secureCookies);
    }
    if (visitor.getPrincipal() instanceof SignedIn signedIn && signedIn.lacksSecondFactor()) {
      response.sendRedirect(request.getContextPath() + SecondFactorFilter.page(signedIn));
      return;
    }
    super.onAuthenticationSuccess(request, response, visitor);
  }
}
