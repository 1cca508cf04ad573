package io.viaduct.webgui.login;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.time.InstantSource;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.filter.OncePerRequestFilter;

/// Ends a browser session whose token has reached billing's expiry, instead of showing pages that
/// can only fail.
final class ExpiryFilter extends OncePerRequestFilter {
  private final InstantSource clock;

  ExpiryFilter(InstantSource clock) {
    this.clock = clock;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    Authentication visitor = SecurityContextHolder.getContext().getAuthentication();
    if (visitor != null
        && visitor.getPrincipal() instanceof SignedIn signedIn
        && !clock.instant().isBefore(signedIn.until())) {
      HttpSession session = request.getSession(false);
      if (session != null) {
        session.invalidate();
      }
      SecurityContextHolder.clearContext();
    }
    chain.doFilter(request, response);
  }
}
