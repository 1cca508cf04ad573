package io.viaduct.cnapt.mobility;

import java.time.Instant;

/// One change of network.
///
/// @param at time of the detection
/// @param cause `address`, `link`, `route`, `silence` or `path_dead`
/// @param from interface and address of the tunnel before the change
/// @param to interface and address of the tunnel after the change
/// @param outageMs time from the detection to the SNAPT's first answer on the new path; −1 before
///   that
public record Handover(Instant at, String cause, String from, String to, double outageMs) {
  /// Returns a copy with the time of the answer.
  Handover answered(double ms) {
    return new Handover(at, cause, from, to, ms);
  }
}
