package io.viaduct.tunnel.flow;

/// What compressing one flow's records has gained lately. A flow whose payload does not shrink
/// (TLS, media, archives) is tried again after 2, 4, 8 … 256 records, so that random data cost
/// almost nothing.
public final class CompressionEstimate {
  private static final int SCALE = 1024;
  private static final int WORTH = 1004; // 2 % smaller, or it is not worth the receiver's time
  private static final int MISSES_MAX = 8;
  private int ratio = 700;
  private int misses;
  private int skip;
  private long stagedIn = -1;
  private int stagedGroup;

  /// Whether the next record should be compressed. Counts the record.
  public boolean worthTrying() {
    if (skip == 0) {
      return true;
    }
    skip--;
    return false;
  }

  /// Whether the next record is let pass because trials have gained nothing. Counts nothing.
  public boolean isSkipping() {
    return skip > 0;
  }

  /// Whether the last trial has gained nothing.
  public boolean isDoubtful() {
    return misses > 0;
  }

  /// The group that the flow's records have in the open compound with this number, or −1: they stay
  /// together, so that packets of one flow keep their order.
  public int group(long compound) {
    return stagedIn == compound ? stagedGroup : -1;
  }

  public void group(long compound, int group) {
    stagedIn = compound;
    stagedGroup = group;
  }

  /// Expected compressed size.
  public int expected(int rawBytes) {
    return (int) ((long) rawBytes * ratio / SCALE);
  }

  /// What became of a block that held records of this flow.
  ///
  /// @param freshBytes of the raw bytes, without payloads that it held already
  /// @param freshCompressed what those are taken to have become
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
