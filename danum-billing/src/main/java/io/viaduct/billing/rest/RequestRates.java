package io.viaduct.billing.rest;

import io.viaduct.billing.configuration.BillingConfiguration.RateLimit;
import io.viaduct.service.digest.Sha256;
import io.viaduct.service.throttle.TokenBuckets;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.filter.OncePerRequestFilter;

/// Limits the requests of each log-in and each API token, and tells the limit in the header fields
/// `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10).
final class RequestRates extends OncePerRequestFilter {
  /// Most callers in the table. The least used ones are forgotten first.
  static final int CALLERS_MAX = 50_000;

  /// Answers a refused request.
  @FunctionalInterface
  interface Refusal {
    void answer(HttpServletRequest request, HttpServletResponse response, ProblemException refusal);
  }

  private final RateLimit limit;
  private final Duration perRequest;
  private final TokenBuckets<String> buckets;
  private final Refusal refusal;

  RequestRates(RateLimit limit, InstantSource clock, Refusal refusal) {
    this.limit = limit;
    perRequest = limit.period().dividedBy(limit.requests());
    buckets = new TokenBuckets<>(limit.requests(), perRequest, CALLERS_MAX, clock);
    this.refusal = refusal;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    Authentication login = SecurityContextHolder.getContext().getAuthentication();
    if (!(login instanceof UsernamePasswordAuthenticationToken)) {
      chain.doFilter(request, response);
      return;
    }
    // The digest, so that no token stays in memory.
    String caller = HexFormat.of().formatHex(Sha256.of(CallerAccess.token(login)));
    boolean isAdmitted = buckets.take(caller);
    long left = buckets.available(caller);
    Duration untilFull = perRequest.multipliedBy(limit.requests() - left);
    response.setHeader(
        "RateLimit-Policy",
        "\"default\";q=%d;w=%d".formatted(limit.requests(), limit.period().toSeconds()));
    response.setHeader("RateLimit", "\"default\";r=%d;t=%d".formatted(left, untilFull.toSeconds()));
    if (isAdmitted) {
      chain.doFilter(request, response);
    } else {
      refusal.answer(
          request,
          response,
          new ProblemException(
              ProblemType.TOO_MANY_REQUESTS,
              "%d requests in %d s are allowed for each log-in and token"
                  .formatted(limit.requests(), limit.period().toSeconds()),
              buckets.untilNext(caller)));
    }
  }
}
