package io.viaduct.cnapt.mobility;

import io.viaduct.tunnel.path.Carrier;
import java.time.Instant;

/// One change of the carrier, between UDP and the control connection.
///
/// @param at time of the decision
/// @param silentMs time without an authentic datagram on any carrier before the decision
/// @param resumedMs time from the decision to the first authentic datagram on the new carrier; −1
///   before that
public record CarrierChange(Instant at, Carrier to, double silentMs, double resumedMs) {
  CarrierChange resumed(double ms) {
    return new CarrierChange(at, to, silentMs, ms);
  }
}
