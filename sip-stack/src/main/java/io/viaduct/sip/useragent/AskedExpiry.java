package io.viaduct.sip.useragent;

import io.viaduct.sip.SipResponse;
import java.time.Duration;
import java.util.OptionalLong;

/// For how long to ask: as configured, or what the server wants at the least (423, RFC 3261 section
/// 10.2.8 and RFC 6665 section 4.1.2.1). Confined to the user agent's thread.
final class AskedExpiry {
  private static final int INTERVAL_TOO_BRIEF = 423;

  private long seconds;
  private boolean raised;

  AskedExpiry(Duration configured) {
    this.seconds = configured.toSeconds();
  }

  long seconds() {
    return seconds;
  }

  /// Learns from a refusal.
  ///
  /// @return whether to ask for more at once; not twice before something is granted, because a
  ///   server that wants more each time would be asked all the time
  boolean adapts(SipResponse response) {
    long minimum = Registration.number(response, "Min-Expires").orElse(0);
    if (response.status() != INTERVAL_TOO_BRIEF || minimum <= seconds) {
      return false;
    }
    boolean first = !raised;
    raised = true;
    seconds = minimum;
    return first;
  }

  /// For how long it is granted, seconds: never longer than asked for (RFC 3261 section 10.3 step
  /// 8, RFC 6665 section 4.2.1.1).
  ///
  /// @param offered by the server; if nothing, all of it
  long granted(OptionalLong offered) {
    raised = false;
    return Math.min(seconds, offered.orElse(seconds));
  }
}
