package io.viaduct.tunnel.history;

import com.github.luben.zstd.ZstdDictDecompress;

/// An epoch that this end can decompress with. Native memory until [#free].
final class ReceiveDictionary {
  static final long NOT_SUPERSEDED = Long.MAX_VALUE;

  private final int epoch;
  private final int bytes;
  private final ZstdDictDecompress digested;
  boolean used;
  long madeNs;
  long supersededNs = NOT_SUPERSEDED;

  ReceiveDictionary(int epoch, byte[] dictionary) {
    this.epoch = epoch;
    this.bytes = heldBytes(dictionary.length);
    digested = new ZstdDictDecompress(dictionary);
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
