package io.viaduct.billing.rest;

import io.viaduct.billing.account.KnownBrowsers;
import io.viaduct.billing.account.LoginThrottle;
import io.viaduct.billing.account.LoginThrottle.Attempt;
import io.viaduct.service.throttle.SourceNetwork;
import io.viaduct.service.throttle.TrustedProxies;
import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Lets an attempt to log in pass, late or not at all: finds who it is of, by the visitor's address
/// and the mark of the browser, and asks the throttle.
final class LoginGate {
  private static final String FORWARDED_FOR = "X-Forwarded-For";

  private final LoginThrottle throttle;
  private final KnownBrowsers browsers;
  private final TrustedProxies proxies;
  private final InstantSource clock;

  LoginGate(
      LoginThrottle throttle, KnownBrowsers browsers, TrustedProxies proxies, InstantSource clock) {
    this.throttle = throttle;
    this.browsers = browsers;
    this.proxies = proxies;
    this.clock = clock;
  }

  /// @param mark of a browser that has logged in before, as it came
  Attempt attempt(String name, @Nullable String mark, HttpServletRequest request) {
    InetAddress visitor =
        proxies.visitor(
            InetAddress.ofLiteral(request.getRemoteAddr()),
            request.getHeader(FORWARDED_FOR) == null
                ? null
                : String.join(",", Collections.list(request.getHeaders(FORWARDED_FOR))));
    return new Attempt(
        name,
        SourceNetwork.of(visitor),
        Optional.ofNullable(mark).flatMap(m -> browsers.recognise(m, name, clock.instant())));
  }

  /// Waits for the attempt's turn.
  ///
  /// @return empty if its password may be judged, else how long to stay away
  Optional<Duration> admit(Attempt attempt) {
    try {
      return throttle.admit(attempt);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // billing is stopping
      return Optional.of(Duration.ofSeconds(1));
    }
  }

  /// The password was right.
  void right(Attempt attempt) {
    throttle.right(attempt);
  }

  /// Makes the mark of a browser that has just logged in.
  String mark(Attempt attempt) {
    return browsers.mark(attempt.name(), clock.instant());
  }
}
