package io.viaduct.bridge.call;

import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The proxy's part in session timers (RFC 4028 section 8). It asks each call for a timer, so that
/// a call whose ends have gone is noticed.
///
/// @param least shortest timer that is taken, at least 90 s
/// @param usual timer of a request that names none, and the longest
record SessionTimer(Duration least, Duration usual) {
  /// Shortest timer of RFC 4028 section 4.
  private static final long LEAST_SECONDS = 90;

  private static final Pattern SECONDS = Pattern.compile("\\s*(\\d{1,9})\\s*(;.*)?");

  /// The timer of one request.
  sealed interface Offer {
    /// @param headers of the forwarded request
    /// @param seconds of its Session-Expires
    /// @param isKnownToSender whether the sender can refresh the session
    record Taken(SipHeaders headers, long seconds, boolean isKnownToSender) implements Offer {}

    /// The sender must ask for a longer timer.
    record TooShort(long leastSeconds) implements Offer {}
  }

  /// Decides about an INVITE or UPDATE.
  Offer offer(SipHeaders headers) {
    boolean isKnown =
        headers.values("Supported").stream().anyMatch(tag -> tag.equalsIgnoreCase("timer"));
    long ask = seconds(headers, "Min-SE").orElse(LEAST_SECONDS);
    OptionalLong wanted = seconds(headers, "Session-Expires");
    if (wanted.isPresent() && wanted.getAsLong() < least.toSeconds()) {
      if (isKnown) {
        return new Offer.TooShort(least.toSeconds());
      }
      SipHeaders raised =
          headers.replace("Min-SE", Long.toString(Math.max(ask, least.toSeconds())));
      return taken(raised, Math.max(ask, least.toSeconds()), false);
    }
    long most = Math.max(Math.max(ask, LEAST_SECONDS), usual.toSeconds());
    return wanted.isPresent() && wanted.getAsLong() <= most
        ? new Offer.Taken(headers, wanted.getAsLong(), isKnown)
        : taken(headers, most, isKnown);
  }

  private static Offer taken(SipHeaders headers, long seconds, boolean isKnown) {
    String refresher =
        headers
            .first("Session-Expires")
            .map(SECONDS::matcher)
            .filter(Matcher::matches)
            .map(found -> found.group(2))
            .orElse("");
    return new Offer.Taken(
        headers.replace("Session-Expires", seconds + refresher), seconds, isKnown);
  }

  /// Returns an acceptance as the sender gets it. If the other end knows no timers, the sender
  /// refreshes alone.
  static SipResponse accepted(SipResponse acceptance, Offer.Taken offer) {
    return acceptance.headers().first("Session-Expires").isPresent() || !offer.isKnownToSender()
        ? acceptance
        : acceptance
            .with("Session-Expires", offer.seconds() + ";refresher=uac")
            .with("Require", "timer");
  }

  /// Returns the timer that an acceptance settles; empty if the call has none.
  static Optional<Duration> settled(SipResponse acceptance) {
    OptionalLong seconds = seconds(acceptance.headers(), "Session-Expires");
    return seconds.isPresent()
        ? Optional.of(Duration.ofSeconds(Math.max(seconds.getAsLong(), LEAST_SECONDS)))
        : Optional.empty();
  }

  private static OptionalLong seconds(SipHeaders headers, String name) {
    return headers.first(name).map(SECONDS::matcher).filter(Matcher::matches).stream()
        .mapToLong(found -> Long.parseLong(found.group(1)))
        .findFirst();
  }
}
