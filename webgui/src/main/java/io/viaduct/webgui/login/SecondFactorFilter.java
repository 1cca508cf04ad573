package io.viaduct.webgui.login;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.UriComponentsBuilder;

/// Leads a visitor who must set up a second factor to its page, whatever page was asked for.
/// Billing refuses everything else.
final class SecondFactorFilter extends OncePerRequestFilter {
  private static final String OPEN = "/(logout|language|login.*|assets/.*|webjars/.*|favicon.ico)";

  /// Returns the address of the visitor's own page.
  static String page(SignedIn visitor) {
    return UriComponentsBuilder.fromPath("/accounts/{id}/second-factor")
        .encode()
        .buildAndExpand(visitor.account())
        .toUriString();
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    Authentication known = SecurityContextHolder.getContext().getAuthentication();
    if (known == null
        || !(known.getPrincipal() instanceof SignedIn visitor)
        || !visitor.lacksSecondFactor()) {
      chain.doFilter(request, response);
      return;
    }
    String path = request.getRequestURI().substring(request.getContextPath().length());
    String page = page(visitor);
    if (path.equals(page) || path.startsWith(page + "/") || path.matches(OPEN)) {
      chain.doFilter(request, response);
    } else {
      response.sendRedirect(request.getContextPath() + page);
    }
  }
}
