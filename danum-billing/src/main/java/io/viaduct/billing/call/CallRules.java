package io.viaduct.billing.call;

import java.time.Duration;

/// Bounds on what a call is granted at a time.
///
/// @param grant longest time of one grant
/// @param validity time after which a call that asks no more has ended; at least `grant`
/// @param voiceKbitPerSecond largest flow of `voice-call` that a call carries whose node describes
///   no media, both directions together; 0 for none
public record CallRules(Duration grant, Duration validity, int voiceKbitPerSecond) {
  /// Clocks differ, and a request may wait in its node: a call may be told to be so much longer
  /// than the time since its first request.
  static final Duration TOLERANCE = Duration.ofMinutes(1);

  /// Returns the seconds that are granted at most to a request.
  long seconds(long wanted) {
    return Math.min(wanted, grant.toSeconds());
  }
}
