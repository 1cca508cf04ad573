package io.viaduct.cnapt.mobility;

import io.viaduct.tunnel.path.Carrier;
import java.time.Instant;

/// One change between UDP and the control connection.
///
/// @param at when it was decided
/// @param silentMs how long nothing authentic had come by any carrier before
/// @param resumedMs from the decision to the first authentic datagram by the new carrier; −1 while
///   none has come
public record CarrierChange(Instant at, Carrier to, double silentMs, double resumedMs) {
  CarrierChange resumed(double ms) {
    return new CarrierChange(at, to, silentMs, ms);
  }
}
