package io.viaduct.spring.rest;

import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.authentication.AnonymousAuthenticationFilter;
import org.springframework.security.web.authentication.AuthenticationEntryPointFailureHandler;
import org.springframework.security.web.authentication.AuthenticationFilter;

/// Protects a REST interface by bearer tokens (RFC 6750): no cookie, no session, no redirect.
public final class BearerSecurity {
  private BearerSecurity() {}

  /// Applies the rules, except which caller may do what: `authorizeHttpRequests` says that.
  ///
  /// @param tokens checks a [BearerToken]; returns the caller, or throws an
  ///   `AuthenticationException`
  /// @param refusal answers requests without a valid token, and counts them
  public static HttpSecurity apply(
      HttpSecurity http, AuthenticationManager tokens, AuthenticationEntryPoint refusal) {
    AuthenticationFilter bearer = new AuthenticationFilter(tokens, BearerToken::of);
    bearer.setSuccessHandler((_, _, _) -> {}); // the request goes on to its resource
    bearer.setFailureHandler(new AuthenticationEntryPointFailureHandler(refusal));
    return http.csrf(AbstractHttpConfigurer::disable)
        .headers(AbstractHttpConfigurer::disable) // RestRules sets them on every answer
        .logout(AbstractHttpConfigurer::disable)
        .requestCache(AbstractHttpConfigurer::disable)
        .sessionManagement(
            session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
        .exceptionHandling(failures -> failures.authenticationEntryPoint(refusal))
        .addFilterBefore(bearer, AnonymousAuthenticationFilter.class);
  }
}
