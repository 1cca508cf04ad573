package io.viaduct.billing.rating;

import io.viaduct.billing.tariff.ServiceClass;

/// What a SNAPT measured of one flow in one interval; both directions together.
///
/// @param serviceClass the class that carried it
/// @param application name of the classification table; an unknown one is priced as its class
/// @param preBytes inner IP bytes
/// @param postBytes outer IP bytes
/// @param packets inner packets received
/// @param lostPackets inner packets sent and not received
/// @param durationMs the part of the interval in which it lived, >= 1
/// @param delayMs one-way delay as reported, possibly negative
/// @param delaySource where the SNAPT has it from
public record FlowMeasure(
    ServiceClass serviceClass,
    String application,
    long preBytes,
    long postBytes,
    long packets,
    long lostPackets,
    long durationMs,
    double delayMs,
    DelaySource delaySource) {
  /// lost/(lost+received), 0 where nothing was sent.
  public double loss() {
    long sent = lostPackets + packets;
    return sent == 0 ? 0.0 : (double) lostPackets / sent;
  }

  /// Bytes that aggregation kept off the wire, never negative.
  public long savedBytes() {
    return Math.max(0, preBytes - postBytes);
  }
}
