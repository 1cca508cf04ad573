package io.viaduct.tunnel.history;

import com.github.luben.zstd.ZstdDictDecompress;

/// An epoch that this end can decompress with. Native memory until [#free].
final class ReceiveDictionary {
  static final long NOT_SUPERSEDED = Long.MAX_VALUE;

  private final int epoch;
  private final int bytes;
  private final ZstdDictDecompress digested;
  boolean used;
  long announcedNs;
  long supersededNs = NOT_SUPERSEDED;

  /// @param dictionary holds it in the first `length` bytes; not needed any more after this
  ReceiveDictionary(int epoch, byte[] dictionary, int length) {
    this.epoch = epoch;
    this.bytes = heldBytes(length);
    digested = new ZstdDictDecompress(dictionary, 0, length);
  }

  int epoch() {
    return epoch;
  }

  ZstdDictDecompress digested() {
    return digested;
  }

  static int heldBytes(int length) {
    return length + 28_000; // content and decoding tables (ZSTD_DDict)
  }

  int heldBytes() {
    return bytes;
  }

  void free() {
    digested.close();
  }
}
