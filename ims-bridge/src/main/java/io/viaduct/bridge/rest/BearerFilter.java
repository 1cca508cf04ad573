package io.viaduct.bridge.rest;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.springframework.web.filter.OncePerRequestFilter;

/// Admits only requests with the bearer token (RFC 6750); all others get 401 with a problem (RFC
/// 9457).
final class BearerFilter extends OncePerRequestFilter {
  private static final String SCHEME = "Bearer ";

  private final byte[] token;
  private final Runnable refused;

  /// @param refused called for each refused request
  BearerFilter(String token, Runnable refused) {
    this.token = token.getBytes(StandardCharsets.UTF_8);
    this.refused = refused;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    String given = request.getHeader("Authorization");
    boolean right =
        given != null
            && given.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
            && MessageDigest.isEqual(
                given.substring(SCHEME.length()).strip().getBytes(StandardCharsets.UTF_8), token);
    if (right) {
      chain.doFilter(request, response);
      return;
    }
    refused.run();
    response.setHeader("WWW-Authenticate", "Bearer realm=\"ims-bridge\"");
    Problem.write(
        response,
        HttpServletResponse.SC_UNAUTHORIZED,
        "Unauthorized",
        "send the operator's token as Authorization: Bearer");
  }
}
