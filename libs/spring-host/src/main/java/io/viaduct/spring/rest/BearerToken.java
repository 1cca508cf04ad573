package io.viaduct.spring.rest;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.core.authority.AuthorityUtils;

/// A bearer token (RFC 6750) as a caller sent it, not yet checked.
public final class BearerToken extends AbstractAuthenticationToken {
  private static final long serialVersionUID = 1L;
  private static final String SCHEME = "Bearer ";

  private final String token;

  private BearerToken(String token) {
    super(AuthorityUtils.NO_AUTHORITIES);
    this.token = token;
  }

  /// Returns the token of a request; null if the request has none.
  static @Nullable BearerToken of(HttpServletRequest request) {
    String header = request.getHeader(HttpHeaders.AUTHORIZATION);
    return header == null || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        ? null
        : new BearerToken(header.substring(SCHEME.length()).strip());
  }

  /// Returns the token.
  @Override
  public String getCredentials() {
    return token;
  }

  /// Returns a constant: the caller is not known before the token is checked.
  @Override
  public String getPrincipal() {
    return "bearer";
  }

  /// Does not show the token.
  @Override
  public String toString() {
    return "(bearer token)";
  }
}
