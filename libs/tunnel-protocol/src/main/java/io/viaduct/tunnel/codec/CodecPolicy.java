package io.viaduct.tunnel.codec;

/// Chooses the codec for one class of a session: the highest step whose cost at the present rate
/// fits into a share of the core.
///
/// - The share is small while the link accepts everything at once, so that the processor never
///   becomes the bottleneck. It is larger while data wait for the link, which then limits
///   throughput.
/// - No block may take longer than its class allows: all packets behind it on the loop wait as
///   long.
/// - Packets of a burst ([BurstDetector]) or of a close exchange ([PingPongDetector]) are not
///   compressed unless the link limits them. There the codec would cause most of the delay.
/// - Packets against a burst, mostly acknowledgements, are not compressed either, because the
///   processor limits that burst.
public final class CodecPolicy {
  /// Share of the loop's core for compression.
  static final double SHARE = 0.3;

  static final double SHARE_LINK_LIMITED = 0.5;

  /// Margin for a higher step: without it, the step would be left again at once.
  private static final double RAISE_MARGIN = 0.7;

  /// Divisor that lowers the remembered block size: a smaller block lowers it by this part of the
  /// difference.
  private static final int DECAY_DIVISOR = 32;

  private static final long LIMITED_FOR_NS = 200_000_000;
  private static final long EVALUATE_NS = 5_000_000;

  private final CodecCosts costs;
  private final boolean speaksZstd;
  private final long blockNsMax;
  private final OfferedRate own = new OfferedRate();
  private final PingPongDetector pingPong = new PingPongDetector();
  private final BurstDetector sent = new BurstDetector(1);

  // The window is long: a loop that was interrupted reads at once all that a slow line brought
  // meanwhile.
  private final BurstDetector received = new BurstDetector(10);

  private int step;
  private int blockBytes;
  private boolean bypassed;
  private long evaluatedNs;
  private boolean evaluated;
  private long limitedNs;
  private boolean everLimited;
  private long pacingBytesPerSecond;

  /// Creates the policy of one class.
  ///
  /// @param speaksZstd true if the peer supports zstd
  /// @param blockNsMax longest time for compressing one block
  CodecPolicy(CodecCosts costs, boolean speaksZstd, long blockNsMax) {
    this.costs = costs;
    this.speaksZstd = speaksZstd;
    this.blockNsMax = blockNsMax;
    step = speaksZstd ? CodecCosts.STEPS - 1 : CodecCosts.LZ4;
  }

  /// Counts an inner packet on its way to the peer, compressible or not.
  ///
  /// @param bulk true if its sender sends as much at once as it may: a superpacket or TCP. Many
  ///   other packets at once have only waited for this loop.
  public void arrived(int bytes, boolean bulk, long nowNs) {
    pingPong.sent(nowNs);
    evaluated &= !(bulk && sent.arrived(bytes, nowNs));
  }

  /// Counts authentic bytes from the peer.
  public void answered(int bytes, long nowNs) {
    pingPong.answered(nowNs);
    evaluated &= !received.arrived(bytes, nowNs);
  }

  /// Notes that the socket, or the network behind it, accepts no more bytes at the moment.
  public void limitedByLink(long nowNs) {
    limitedNs = nowNs;
    everLimited = true;
  }

  /// Sets the known rate of the path, 0 = unknown. If more than 70 % of it is offered, the link
  /// counts as the limit.
  public void pacing(long bytesPerSecond) {
    pacingBytesPerSecond = bytesPerSecond;
  }

  /// Counts payload of a flow that is worth trying, compressed or not. Payload kept from the codec,
  /// as in a burst, does not count against the other sessions of the loop.
  public void offered(int bytes, long nowNs) {
    own.offered(bytes, nowNs);
    if (!bypassed) {
      costs.rate().offered(bytes, nowNs);
    }
  }

  /// Returns the step of [CodecCosts] to take now.
  public int step(long nowNs) {
    if (!evaluated || nowNs - evaluatedNs >= EVALUATE_NS) {
      evaluated = true;
      evaluatedNs = nowNs;
      evaluate(nowNs);
    }
    return step;
  }

  /// Returns the step for a block of this size. The next choice expects blocks of about that size.
  public int step(int bytes, long nowNs) {
    blockBytes = bytes > blockBytes ? bytes : blockBytes - (blockBytes - bytes) / DECAY_DIVISOR;
    return step(nowNs);
  }

  private boolean isBurst(long nowNs) {
    return sent.isRecent(nowNs) || received.isRecent(nowNs);
  }

  private void evaluate(long nowNs) {
    boolean linkLimited = isLinkLimited(nowNs);
    bypassed = (isBurst(nowNs) || pingPong.isPingPong()) && !linkLimited;
    if (bypassed) {
      step = CodecCosts.NONE;
      return;
    }
    double share = linkLimited ? SHARE_LINK_LIMITED : SHARE;
    double bytesPerSecond = Math.max(own.bytesPerSecond(), costs.rate().bytesPerSecond());
    int highest = speaksZstd ? CodecCosts.STEPS - 1 : CodecCosts.LZ4;
    int chosen = highest;
    while (chosen > CodecCosts.NONE) {
      double margin = chosen > step ? RAISE_MARGIN : 1;
      double cost = costs.nsPerByte(chosen);
      if (bytesPerSecond * cost * 1e-9 <= share * margin
          && blockBytes * cost <= blockNsMax * margin) {
        break;
      }
      chosen--;
    }
    step = chosen;
  }

  boolean isLinkLimited(long nowNs) {
    return everLimited && nowNs - limitedNs < LIMITED_FOR_NS
        || pacingBytesPerSecond > 0 && own.bytesPerSecond() > 0.7 * pacingBytesPerSecond;
  }

  /// Returns the zstd level of a step.
  public static int level(int step) {
    return CodecCosts.level(step);
  }

  /// Returns the step that a level belongs to.
  public static int stepOf(int level) {
    return CodecCosts.stepOf(level);
  }

  /// Returns whether a dictionary of this level may be used at this step.
  public static boolean allows(int step, int level) {
    return step >= CodecCosts.ZSTD_FIRST && level <= CodecCosts.level(step);
  }
}
