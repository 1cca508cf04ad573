package io.viaduct.cnapt;

import io.viaduct.cnapt.control.Snapt;
import java.util.HashMap;
import java.util.Map;

/// Remembers the SNAPTs that were nearer and did not take the device: none of them is sought for 10
/// min, and for twice as long after each further refusal, up to 1 h. As much time after that
/// without a refusal, it is forgotten. Owner: the control loop.
final class RefusedSnapts {
  static final long BLOCK_NS_MIN = 600_000_000_000L;
  static final long BLOCK_NS_MAX = 3_600_000_000_000L;

  private final Map<Snapt, Block> blocks = new HashMap<>(); // only listed SNAPTs, for some hours

  private record Block(long fromNs, long lengthNs) {
    private boolean lasts(long nowNs) {
      return nowNs - fromNs < lengthNs;
    }

    private boolean isForgotten(long nowNs) {
      return nowNs - fromNs >= 2 * lengthNs;
    }
  }

  /// Takes a refusal.
  void refused(Snapt by, long nowNs) {
    blocks.values().removeIf(each -> each.isForgotten(nowNs));
    Block before = blocks.get(by);
    long lengthNs = before == null ? BLOCK_NS_MIN : Math.min(2 * before.lengthNs(), BLOCK_NS_MAX);
    blocks.put(by, new Block(nowNs, lengthNs));
  }

  /// Returns whether a SNAPT is not to be sought now.
  boolean isBlocked(Snapt snapt, long nowNs) {
    Block block = blocks.get(snapt);
    return block != null && block.lasts(nowNs);
  }
}
