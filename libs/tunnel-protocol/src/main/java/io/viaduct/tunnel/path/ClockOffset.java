package io.viaduct.tunnel.path;

/// Estimates the peer's clock minus ours: θ = ((t2−t1)+(t3−t4))/2 of the sample with the least
/// round trip among the last 8 (RFC 5905 §8). That sample waited least in queues, which delay one
/// direction more than the other.
public final class ClockOffset {
  private static final int SAMPLES = 8;
  // Only the probing end allocates them.
  private double[] offsets = {};
  private long[] roundTrips = {};
  private int count;

  /// Takes one exchange: t1 sent here, t2 received there, t3 sent there, t4 received here.
  ///
  /// @return round trip without the peer's processing time
  public long sample(long t1, long t2, long t3, long t4) {
    if (count == 0) {
      offsets = new double[SAMPLES];
      roundTrips = new long[SAMPLES];
    }
    int slot = count++ & (SAMPLES - 1);
    offsets[slot] = ((double) (t2 - t1) + (double) (t3 - t4)) / 2;
    roundTrips[slot] = t4 - t1 - (t3 - t2);
    return roundTrips[slot];
  }

  public boolean isKnown() {
    return count > 0;
  }

  /// Returns θ, NaN before the first sample.
  public double offset() {
    return count == 0 ? Double.NaN : offsets[best()];
  }

  /// Returns the round trip of the sample that θ comes from.
  public long roundTrip() {
    return count == 0 ? -1 : roundTrips[best()];
  }

  private int best() {
    int best = 0;
    for (int i = 1; i < Math.min(count, SAMPLES); i++) {
      if (roundTrips[i] < roundTrips[best]) {
        best = i;
      }
    }
    return best;
  }
}
