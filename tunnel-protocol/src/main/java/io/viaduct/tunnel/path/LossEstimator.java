package io.viaduct.tunnel.path;

/// Loss of probes, one reading per K probes (seed 001). Replies in flight at the end of a round
/// count in the next one: the surplus `max(R − K, 0)` is carried (the seed's printed `min`
/// contradicts its prose).
public final class LossEstimator {
  private final int probesPerRound;
  private int probes;
  private int replies;
  private double loss = Double.NaN;

  public LossEstimator(int probesPerRound) {
    if (probesPerRound < 1) {
      throw new IllegalArgumentException("probes per round is " + probesPerRound + ", must be ≥ 1");
    }
    this.probesPerRound = probesPerRound;
  }

  /// A probe leaves; closes the round that is full.
  public void sent() {
    if (probes == probesPerRound) {
      int counted = Math.min(replies, probesPerRound);
      loss = 1 - (double) counted / probesPerRound;
      replies = Math.max(replies - probesPerRound, 0);
      probes = 0;
    }
    probes++;
  }

  public void replied() {
    replies++;
  }

  /// Loss of the last full round, 0 … 1; NaN before.
  public double loss() {
    return loss;
  }
}
