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
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Identifies an attempt to log in by the visitor's address and the browser's mark, and asks the
/// throttle whether it may proceed now, later or not at all.
final class LoginGate {
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

  /// Describes an attempt by its account name, source network and known browser.
  ///
  /// @param mark mark that a browser got at its last log-in, as received; null if it sent none
  Attempt attempt(String name, @Nullable String mark, HttpServletRequest request) {
    InetAddress visitor = proxies.visitor(request.getRemoteAddr(), request::getHeaders);
    return new Attempt(
        name,
        SourceNetwork.of(visitor),
        Optional.ofNullable(mark).flatMap(m -> browsers.recognise(m, name, clock.instant())));
  }

  /// Waits for the attempt's turn.
  ///
  /// @return empty if the password may be checked now, else the time after which to try again
  Optional<Duration> admit(Attempt attempt) {
    try {
      return throttle.admit(attempt);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // billing is stopping
      return Optional.of(Duration.ofSeconds(1));
    }
  }

  /// Tells the throttle that the password was right.
  void passwordWasRight(Attempt attempt) {
    throttle.passwordWasRight(attempt);
  }

  /// Returns a new mark for a browser that has just logged in.
  String mark(Attempt attempt) {
    return browsers.mark(attempt.name(), clock.instant());
  }
}
