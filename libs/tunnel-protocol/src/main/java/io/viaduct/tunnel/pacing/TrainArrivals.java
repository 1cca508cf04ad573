package io.viaduct.tunnel.pacing;

/// Measures at the receiver what a train of padded datagrams shows, by this end's clock. The sender
/// cannot make its datagrams arrive faster than the path carries them.
final class TrainArrivals {
  /// Datagrams that were read together came at unknown times; this much is added to their spread.
  private static final long READ_NS = 2_000_000;

  private int run = RateTrials.NONE;
  private int arrived;
  private long firstNs;

  /// Takes a datagram of a train.
  ///
  /// @param size bytes of its outer IP packet
  /// @return bytes per second that the path carries at least, 0 while the train says nothing
  double arrived(int of, int size, long nowNs) {
    if (of != run) {
      run = of;
      arrived = 0;
      firstNs = nowNs;
    }
    arrived++;
    if (arrived < TrainRun.quorum(run) || arrived > TrainRun.length(run)) {
      return 0;
    }
    return (arrived - 1) * size * 1e9 / (nowNs - firstNs + READ_NS);
  }
}
