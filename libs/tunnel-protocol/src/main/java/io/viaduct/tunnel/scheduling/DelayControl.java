package io.viaduct.tunnel.scheduling;

/// Keeps the queue of one class short by dropping or marking arriving packets at random, so that
/// senders slow down before the queue is full.
///
/// The algorithm is PIE (RFC 8033), with two choices: it takes the waiting time of the queue's head
/// instead of an estimate (§5.2), and it decides at arrival, before any work is spent on the
/// packet.
public final class DelayControl {
  /// Decision about a packet.
  public enum Decision {
    TAKE,
    /// The packet is queued with Congestion Experienced in its IP header.
    MARK,
    DROP
  }

  private static final double TARGET_S = 0.015;
  private static final double ALPHA = 0.125;
  private static final double BETA = 1.25;
  private static final long UPDATE_NS = 15_000_000;
  private static final long BURST_NS = 150_000_000;
  private static final double MARK_MOST = 0.1;
  private static final double DECAY = 0.98;
  private static final double STEP_MOST = 0.02;
  private static final double LONG_S = 0.25;
  private static final int SHORT_BYTES = 3_000;

  private long state;
  private double probability;
  private double formerS;
  private long updatedNs;
  private long burstLeftNs = BURST_NS;

  /// Creates the control of one queue.
  ///
  /// @param seed seed of the random decisions
  public DelayControl(long seed, long nowNs) {
    state = seed | 1;
    updatedNs = nowNs;
  }

  /// Decides about an arriving packet.
  ///
  /// @param waitNs waiting time of the queue's head, 0 if there is none
  /// @param queuedBytes bytes in the queue
  /// @param markable true if the packet's sender understands marks (ECT)
  public Decision arrival(long waitNs, int queuedBytes, boolean markable, long nowNs) {
    double waitS = waitNs / 1e9;
    if (nowNs - updatedNs >= UPDATE_NS) {
      long missed = (nowNs - updatedNs) / UPDATE_NS;
      updatedNs = nowNs;
      update(waitS, missed);
    }
    boolean calm = formerS < TARGET_S / 2 && probability < 0.2;
    if (burstLeftNs > 0 || calm || queuedBytes <= SHORT_BYTES || !chance()) {
      return Decision.TAKE;
    }
    return markable && probability < MARK_MOST ? Decision.MARK : Decision.DROP;
  }

  private void update(double waitS, long periods) {
    double change = ALPHA * (waitS - TARGET_S) + BETA * (waitS - formerS);
    change *= scale();
    if (probability >= MARK_MOST) {
      change = Math.min(STEP_MOST, change);
    }
    if (waitS > LONG_S) {
      change = STEP_MOST;
    }
    probability += change;
    if (waitS == 0) { // the queue was also empty in the periods without a packet
      probability *= Math.pow(DECAY, formerS == 0 ? periods : periods - 1);
    }
    probability = probability < 1e-9 ? 0 : Math.min(1, probability);
    formerS = waitS;
    burstLeftNs = Math.max(0, burstLeftNs - periods * UPDATE_NS);
    if (probability == 0 && waitS < TARGET_S / 2) {
      burstLeftNs = BURST_NS;
    }
  }

  /// Returns the factor of a change: small probabilities move in small steps (RFC 8033 §4.2).
  private double scale() {
    if (probability < 0.000001) {
      return 1 / 2048.0;
    }
    if (probability < 0.00001) {
      return 1 / 512.0;
    }
    if (probability < 0.0001) {
      return 1 / 128.0;
    }
    if (probability < 0.001) {
      return 1 / 32.0;
    }
    if (probability < 0.01) {
      return 1 / 8.0;
    }
    return probability < 0.1 ? 1 / 2.0 : 1;
  }

  // xorshift64 (Marsaglia 2003): no object per packet, and the same decisions for the same seed.
  private boolean chance() {
    state ^= state << 13;
    state ^= state >>> 7;
    state ^= state << 17;
    return (state >>> 11) * 0x1p-53 < probability;
  }
}
