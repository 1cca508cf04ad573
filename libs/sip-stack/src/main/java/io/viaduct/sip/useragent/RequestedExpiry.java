package io.viaduct.sip.useragent;

import io.viaduct.sip.SipResponse;
import java.time.Duration;
import java.util.OptionalLong;

/// The lifetime to request, in seconds: the configured one, or the server's minimum after a 423
/// (RFC 3261 section 10.2.8, RFC 6665 section 4.1.2.1). Confined to the user agent's thread.
final class RequestedExpiry {
  private static final int INTERVAL_TOO_BRIEF = 423;

  private long seconds;
  private boolean isRaised;

  RequestedExpiry(Duration configured) {
    this.seconds = configured.toSeconds();
  }

  long seconds() {
    return seconds;
  }

  /// Raises the lifetime to the minimum of a 423.
  ///
  /// @return true if the request should be repeated at once. This happens only once before a grant,
  ///   because a server that raises its minimum each time would be asked without end.
  boolean adaptTo(SipResponse response) {
    long minimum = Registration.number(response, "Min-Expires").orElse(0);
    if (response.status() != INTERVAL_TOO_BRIEF || minimum <= seconds) {
      return false;
    }
    boolean first = !isRaised;
    isRaised = true;
    seconds = minimum;
    return first;
  }

  /// Returns the granted lifetime in seconds, which never exceeds the requested one (RFC 3261
  /// section 10.3 step 8, RFC 6665 section 4.2.1.1).
  ///
  /// @param offered by the server; if empty, the requested lifetime is granted
  long granted(OptionalLong offered) {
    isRaised = false;
    return Math.min(seconds, offered.orElse(seconds));
  }
}
