package io.viaduct.billing.rating;

import org.jspecify.annotations.Nullable;

/// The share of an interval in which a flow had data to send, and the rate that its path had left
/// meanwhile. Both are measured where the queue is, in the direction that carried more bytes.
///
/// @param busy share of the interval in which the flow had data waiting for the path, 0..1; null if
///   it was not reported, and then it counts as 1
/// @param spareKbitPerSecond mean rate that the path could have carried beside its load while the
///   flow had no data waiting, kbit/s; null if it was not reported, and then it counts as 0
/// @param end the end of the tunnel that measured
public record Demand(@Nullable Double busy, @Nullable Double spareKbitPerSecond, End end) {
  /// Nothing was reported: the flow counts as busy for the whole interval.
  public static final Demand UNKNOWN = new Demand(null, null, End.DEVICE);

  /// The ends of the tunnel.
  public enum End {
    DEVICE,
    SNAPT
  }

  /// Returns the rate that the path had left for the flow, as a mean over the interval, kbit/s.
  public double roomKbitPerSecond() {
    return busy == null || spareKbitPerSecond == null ? 0.0 : (1.0 - busy) * spareKbitPerSecond;
  }
}
