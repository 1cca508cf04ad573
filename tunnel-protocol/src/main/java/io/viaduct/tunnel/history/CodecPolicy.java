package io.viaduct.tunnel.history;

/// Which codec is worth its time in one session: the highest step whose cost at the present rate
/// fits into a share of the core. The share is small while the link takes everything at once, so
/// that the processor is never spent where it is the bottleneck; larger while data wait for the
/// link, whose bytes are then what counts. What comes in bursts or in a close [Exchange], and is
/// not held up by the link, is not compressed at all: there the codec would be all that somebody
/// waits for.
public final class CodecPolicy {
  /// Share of the loop's core for compression.
  static final double SHARE = 0.3;

  static final double SHARE_LINK_LIMITED = 0.5;

  /// A higher step must fit with room to spare, or it would be left again at once.
  private static final double RAISE_MARGIN = 0.7;

  private static final long LIMITED_FOR_NS = 200_000_000;
  private static final long EVALUATE_NS = 5_000_000;

  /// So much within a millisecond, 256 Mbit/s, is a burst.
  static final int BURST_BYTES = 32 * 1024;

  private static final long BURST_WITHIN_NS = 1_000_000;
  private static final long BURST_FOR_NS = 100_000_000;

  private final CodecCosts costs;
  private final boolean speaksZstd;
  private final Exchange exchange = new Exchange();
  private int step;
  private long evaluatedNs;
  private boolean evaluated;
  private long limitedNs;
  private boolean everLimited;
  private long pacingBytesPerSecond;
  private long arrivingNs;
  private int arrivingBytes;
  private long burstNs;
  private boolean everBurst;

  /// @param speaksZstd whether the peer does
  public CodecPolicy(CodecCosts costs, boolean speaksZstd) {
    this.costs = costs;
    this.speaksZstd = speaksZstd;
    step = speaksZstd ? CodecCosts.STEPS - 1 : CodecCosts.LZ4;
  }

  /// A packet came, whatever is in it.
  public void arrived(int bytes, long nowNs) {
    exchange.sent(nowNs);
    if (nowNs - arrivingNs >= BURST_WITHIN_NS) {
      arrivingNs = nowNs;
      arrivingBytes = 0;
    }
    arrivingBytes += bytes;
    if (arrivingBytes >= BURST_BYTES) {
      evaluated &= isBurst(nowNs);
      burstNs = nowNs;
      everBurst = true;
    }
  }

  /// Packets have come from the peer.
  public void answered(long nowNs) {
    exchange.answered(nowNs);
  }

  /// The socket, or whatever is behind it, takes no more at the moment.
  public void limitedByLink(long nowNs) {
    limitedNs = nowNs;
    everLimited = true;
  }

  /// What the path is known to carry, 0 = unknown: more than 70 % of it waits for the link.
  public void pacing(long bytesPerSecond) {
    pacingBytesPerSecond = bytesPerSecond;
  }

  /// Payload of a flow that is worth trying. @return whether to compress it
  public boolean offered(int bytes, long nowNs) {
    costs.offered(bytes, nowNs);
    return step(nowNs) != CodecCosts.NONE;
  }

  /// The step of [CodecCosts] to take now.
  public int step(long nowNs) {
    if (!evaluated || nowNs - evaluatedNs >= EVALUATE_NS) {
      evaluated = true;
      evaluatedNs = nowNs;
      evaluate(nowNs);
    }
    return step;
  }

  private boolean isBurst(long nowNs) {
    return everBurst && nowNs - burstNs < BURST_FOR_NS;
  }

  private void evaluate(long nowNs) {
    if ((isBurst(nowNs) || exchange.isClose()) && !isLinkLimited(nowNs)) {
      step = CodecCosts.NONE;
      return;
    }
    double share = isLinkLimited(nowNs) ? SHARE_LINK_LIMITED : SHARE;
    int highest = speaksZstd ? CodecCosts.STEPS - 1 : CodecCosts.LZ4;
    int chosen = highest;
    while (chosen > CodecCosts.NONE) {
      double margin = chosen > step ? RAISE_MARGIN : 1;
      if (costs.share(chosen) <= share * margin) {
        break;
      }
      chosen--;
    }
    step = chosen;
  }

  boolean isLinkLimited(long nowNs) {
    return everLimited && nowNs - limitedNs < LIMITED_FOR_NS
        || pacingBytesPerSecond > 0 && costs.bytesPerSecond() > 0.7 * pacingBytesPerSecond;
  }

  /// zstd's level for the next epoch.
  public int level() {
    return CodecCosts.level(Math.max(CodecCosts.ZSTD_FIRST, step));
  }

  /// zstd's level at a step.
  public static int level(int step) {
    return CodecCosts.level(step);
  }

  /// The step that a level belongs to.
  public static int stepOf(int level) {
    return CodecCosts.stepOf(level);
  }

  /// Whether a dictionary of this level may be used at this step.
  public static boolean allows(int step, int level) {
    return step >= CodecCosts.ZSTD_FIRST && level <= CodecCosts.level(step);
  }
}
