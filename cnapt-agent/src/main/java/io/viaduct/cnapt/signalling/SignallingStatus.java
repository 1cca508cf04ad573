package io.viaduct.cnapt.signalling;

import org.jspecify.annotations.Nullable;

/// The status of a token source.
///
/// @param source `sip:user@domain` or the token file
/// @param registration `active`, `trying`, `waiting` or `idle`
/// @param subscription state of the subscription to the session event, with the same values
/// @param detail the last error, or empty
/// @param roundTripMs last round trip of a SIP probe; null before the first answer
/// @param probes number of SIP probes
/// @param probesAnswered number of those that were answered
public record SignallingStatus(
    String source,
    String registration,
    String subscription,
    String detail,
    @Nullable Double roundTripMs,
    long probes,
    long probesAnswered) {
  /// Returns the status of a source without SIP probes.
  static SignallingStatus idle(String source, String detail) {
    return new SignallingStatus(source, "idle", "idle", detail, null, 0, 0);
  }
}
