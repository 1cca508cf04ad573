package io.viaduct.tunnel.flow;

/// Estimates how well one flow's records compress, from its latest blocks. A flow whose payload
/// does not shrink (TLS, media, archives) is tried again after 2, 4, 8 … 256 records. So random
/// data cost almost nothing.
public final class CompressionEstimate {
  private static final int SCALE = 1024;
  private static final int WORTH = 1004; // a saving below 2 % is not worth the receiver's time
  private static final int MISSES_MAX = 8;
  private int ratio = 700;
  private int misses;
  private int skip;
  private long stagedIn = -1;
  private int stagedGroup;

  /// Returns whether the next record should be compressed, and counts that record.
  public boolean shouldTry() {
    if (skip == 0) {
      return true;
    }
    skip--;
    return false;
  }

  /// Returns whether the next record is skipped because trials have gained nothing. Counts nothing.
  public boolean isSkipping() {
    return skip > 0;
  }

  /// Returns whether the last trial has gained nothing.
  public boolean isDoubtful() {
    return misses > 0;
  }

  /// Returns the group of the flow's records in the open compound with this number, or −1. The
  /// records of one flow stay in one group, so that its packets keep their order.
  public int group(long compound) {
    return stagedIn == compound ? stagedGroup : -1;
  }

  public void group(long compound, int group) {
    stagedIn = compound;
    stagedGroup = group;
  }

  /// Returns the expected compressed size in bytes.
  public int expected(int rawBytes) {
    return (int) ((long) rawBytes * ratio / SCALE);
  }

  /// Takes the result of compressing a block that held records of this flow.
  ///
  /// @param freshBytes raw bytes without the payloads that the block held already
  /// @param freshCompressed estimated compressed size of the fresh bytes
  public void tried(int rawBytes, int compressedBytes, int freshBytes, int freshCompressed) {
    int fresh = share(freshBytes, freshCompressed);
    ratio = Math.max(16, ratio + ((fresh - ratio) >> 2) + (fresh > ratio ? 1 : 0));
    int observed = share(rawBytes, compressedBytes);
    if (observed <= WORTH) {
      misses = 0;
    } else if (rawBytes >= 64) {
      misses = Math.min(MISSES_MAX, misses + 1);
      skip = 1 << misses;
    }
  }

  private static int share(int rawBytes, int compressedBytes) {
    return (int) Math.clamp((long) compressedBytes * SCALE / Math.max(1, rawBytes), 1, SCALE);
  }
}
