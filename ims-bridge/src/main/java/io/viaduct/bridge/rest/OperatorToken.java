package io.viaduct.bridge.rest;

import io.viaduct.spring.rest.BearerToken;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;

/// Admits the one bearer token of the configuration. The comparison takes the same time for every
/// wrong token.
final class OperatorToken implements AuthenticationManager {
  private final byte[] token;

  OperatorToken(String token) {
    this.token = token.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public Authentication authenticate(Authentication given) {
    if (given instanceof BearerToken bearer
        && MessageDigest.isEqual(bearer.getCredentials().getBytes(StandardCharsets.UTF_8), token)) {
      return UsernamePasswordAuthenticationToken.authenticated(
          "operator", null, AuthorityUtils.NO_AUTHORITIES);
    }
    throw new BadCredentialsException("not the operator's token");
  }
}
