package io.viaduct.cnapt.mobility;

import java.time.Instant;

/// One change of network.
///
/// @param at when it was noticed
/// @param cause `address`, `link`, `route` or `path_dead`
/// @param from interface and address that the tunnel used before
/// @param to those that it uses now
/// @param outageMs from notice to the first answer of the SNAPT on the new way; −1 while none has
///   come
public record Handover(Instant at, String cause, String from, String to, double outageMs) {
  /// The same, answered.
  Handover answered(double ms) {
    return new Handover(at, cause, from, to, ms);
  }
}
