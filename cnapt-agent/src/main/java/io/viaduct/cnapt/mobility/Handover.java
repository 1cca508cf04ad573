package io.viaduct.cnapt.mobility;

import java.time.Instant;
import java.util.List;

/// One change of network, or one move of traffic to another path.
///
/// @param at time of the detection
/// @param cause one of [#CAUSES]
/// @param from interface and address, or path, of the tunnel before the change
/// @param to the same after the change
/// @param outageMs time from the detection to the SNAPT's first answer on the new path; −1 before
///   that, 0 for a move between two paths that work
public record Handover(Instant at, String cause, String from, String to, double outageMs) {
  /// The causes: changes of the network (`address`, `link`, `route`, `path_dead`), a path that
  /// became silent, whose signal is weak, or that is a spare again (`silence`, `signal`, `spare`),
  /// another address family of the same path, and a path with less delay and loss (`quality`).
  public static final List<String> CAUSES =
      List.of(
          "address",
          "link",
          "route",
          "path_dead",
          "silence",
          "signal",
          "spare",
          "family",
          "quality");

  /// Returns a copy with the time of the answer.
  Handover answered(double ms) {
    return new Handover(at, cause, from, to, ms);
  }
}
