package io.viaduct.tunnel.history;

/// Which codec is worth its time for one class of a session: the highest step whose cost at the
/// present rate fits into a share of the core. The share is small while the link takes everything
/// at once, so that the processor is never spent where it is the bottleneck; larger while data wait
/// for the link, whose bytes are then what counts. No block may take longer than its class can
/// bear: everybody behind it on the loop waits as long. What comes in a [Burst] or in a close
/// [Exchange], and is not held up by the link, is not compressed at all: there the codec would be
/// all that somebody waits for. Nor is what goes against a burst, acknowledgements mostly: the
/// processor is what bounds that burst.
public final class CodecPolicy {
  /// Share of the loop's core for compression.
  static final double SHARE = 0.3;

  static final double SHARE_LINK_LIMITED = 0.5;

  /// A higher step must fit with room to spare, or it would be left again at once.
  private static final double RAISE_MARGIN = 0.7;

  /// A block that is smaller than the last large one lowers its memory by such a part of the
  /// difference.
  private static final int FORGETTING = 32;

  private static final long LIMITED_FOR_NS = 200_000_000;
  private static final long EVALUATE_NS = 5_000_000;

  private final CodecCosts costs;
  private final boolean speaksZstd;
  private final long blockNsMax;
  private final OfferedRate own = new OfferedRate();
  private final Exchange exchange = new Exchange();
  private final Burst sent = new Burst(1);

  /// A loop that was held up reads at once what a slow line brought meanwhile: only what lasts
  /// counts.
  private final Burst received = new Burst(10);

  private int step;
  private int blockBytes;
  private boolean keptOut;
  private long evaluatedNs;
  private boolean evaluated;
  private long limitedNs;
  private boolean everLimited;
  private long pacingBytesPerSecond;

  /// @param speaksZstd whether the peer does
  /// @param blockNsMax what compressing one block may take
  CodecPolicy(CodecCosts costs, boolean speaksZstd, long blockNsMax) {
    this.costs = costs;
    this.speaksZstd = speaksZstd;
    this.blockNsMax = blockNsMax;
    step = speaksZstd ? CodecCosts.STEPS - 1 : CodecCosts.LZ4;
  }

  /// A packet for the peer came, whatever is in it.
  ///
  /// @param bulk whether its sender sends as much at once as it may, a superpacket or TCP; many
  ///   others at once have only waited for this loop
  public void arrived(int bytes, boolean bulk, long nowNs) {
    exchange.sent(nowNs);
    evaluated &= !(bulk && sent.arrived(bytes, nowNs));
  }

  /// Something authentic of the peer has come.
  public void answered(int bytes, long nowNs) {
    exchange.answered(nowNs);
    evaluated &= !received.arrived(bytes, nowNs);
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

  /// Payload of a flow that is worth trying passes by, compressed or not. What is kept from the
  /// codec, as a burst is, takes nothing of the core from the other sessions of the loop.
  public void offered(int bytes, long nowNs) {
    own.offered(bytes, nowNs);
    if (!keptOut) {
      costs.rate().offered(bytes, nowNs);
    }
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

  /// The same for a block of so many bytes, which is what the next choice expects.
  public int step(int bytes, long nowNs) {
    blockBytes = bytes > blockBytes ? bytes : blockBytes - (blockBytes - bytes) / FORGETTING;
    return step(nowNs);
  }

  private boolean isBurst(long nowNs) {
    return sent.isRecent(nowNs) || received.isRecent(nowNs);
  }

  private void evaluate(long nowNs) {
    boolean linkLimited = isLinkLimited(nowNs);
    keptOut = (isBurst(nowNs) || exchange.isClose()) && !linkLimited;
    if (keptOut) {
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
