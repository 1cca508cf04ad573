package io.viaduct.tunnel.dictionary;

import com.github.luben.zstd.ZstdDictDecompress;

/// Dictionary of an epoch that this end can decompress with. Holds native memory until [#free].
final class ReceiveDictionary {
  static final long NOT_SUPERSEDED = Long.MAX_VALUE;

  private final int epoch;
  private final int bytes;
  private final ZstdDictDecompress digested;
  boolean used;
  long announcedNs;
  long supersededNs = NOT_SUPERSEDED;

  /// Builds the dictionary.
  ///
  /// @param dictionary holds it in the first `length` bytes; not used after the call
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
