package io.viaduct.bridge.configuration;

import static io.viaduct.bridge.configuration.Rules.require;

import java.time.Duration;

/// Limits and timers of calls.
///
/// @param perUser most calls that one user has made and that stand or ring
/// @param max most calls in all; further ones get 503
/// @param ring longest time that a device rings without a new provisional response (RFC 3261
///   section 16.6: Timer C)
/// @param sessionMin shortest session timer that is taken (RFC 4028: Min-SE)
/// @param session session timer of calls that ask for none, and the longest
/// @param longest a call without session timer is forgotten after this time
public record CallSettings(
    int perUser, int max, Duration ring, Duration sessionMin, Duration session, Duration longest) {
  public CallSettings {
    require(
        perUser >= 1 && perUser <= max && max <= 1_000_000,
        "need 1 <= per-user <= max <= 1000000",
        perUser + ", " + max);
    require(ring.toMillis() >= 100, "ring must be >= 100ms", ring);
    require(
        sessionMin.toSeconds() >= 90
            && sessionMin.compareTo(session) <= 0
            && session.compareTo(longest) <= 0,
        "need 90s <= session-min <= session <= longest",
        sessionMin + ", " + session + ", " + longest);
  }
}
