package io.viaduct.billing.rating;

import io.viaduct.billing.tariff.ServiceClass;
import org.jspecify.annotations.Nullable;

/// A SNAPT's measurement of one flow in one interval, both directions together.
///
/// @param serviceClass class of service that carried the flow
/// @param application name in the classification table; an unknown name is priced as its class
/// @param preBytes inner IP bytes
/// @param postBytes outer IP bytes
/// @param packets inner packets received
/// @param lostPackets inner packets sent and not received
/// @param durationMs part of the interval in which the flow existed, milliseconds, >= 1
/// @param delayMs one-way delay as reported, milliseconds, possibly negative
/// @param delayErrorMs bound on the error of the delay, milliseconds, never negative; null if the
///   SNAPT does not know it
/// @param delaySource where the SNAPT took the delay from
public record FlowMeasure(
    ServiceClass serviceClass,
    String application,
    long preBytes,
    long postBytes,
    long packets,
    long lostPackets,
    long durationMs,
    double delayMs,
    @Nullable Double delayErrorMs,
    DelaySource delaySource) {
  /// Returns the lost share of packets, lost / (lost + received); 0 if no packet was sent.
  public double loss() {
    long sent = lostPackets + packets;
    return sent == 0 ? 0.0 : (double) lostPackets / sent;
  }

  /// Returns the bytes that aggregation saved, never negative.
  public long savedBytes() {
    return Math.max(0, preBytes - postBytes);
  }
}
