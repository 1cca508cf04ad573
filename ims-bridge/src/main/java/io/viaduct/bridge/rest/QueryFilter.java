package io.viaduct.bridge.rest;

import io.viaduct.service.http.QueryParameters;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import org.springframework.web.filter.OncePerRequestFilter;

/// Refuses query parameters: no resource of the bridge has any.
final class QueryFilter extends OncePerRequestFilter {
  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    Optional<String> refusal = QueryParameters.refusal(request.getQueryString(), Set.of());
    if (refusal.isPresent()) {
      Problem.write(response, HttpServletResponse.SC_BAD_REQUEST, "Bad Request", refusal.get());
      return;
    }
    chain.doFilter(request, response);
  }
}
