package io.viaduct.tunnel.dictionary;

import com.github.luben.zstd.ZstdDictCompress;

/// Dictionary of an epoch that this end compresses with. Holds native memory until [#free].
final class SendDictionary {
  private final int epoch;
  private final int level;
  private final byte[] bytes;
  private final int length;
  private final ZstdDictCompress digested;

  /// Builds the dictionary: 0.2 … 30 ms.
  ///
  /// @param bytes holds the dictionary in the first `length` bytes; must not change until [#free]
  SendDictionary(int epoch, byte[] bytes, int length, int level) {
    this.epoch = epoch;
    this.level = level;
    this.bytes = bytes;
    this.length = length;
    digested = new ZstdDictCompress(bytes, 0, length, level);
  }

  int epoch() {
    return epoch;
  }

  int level() {
    return level;
  }

  byte[] bytes() {
    return bytes;
  }

  int length() {
    return length;
  }

  ZstdDictCompress digested() {
    return digested;
  }

  /// Returns the native and heap bytes, estimated from zstd's table sizes for sources of up to 128
  /// KiB (`ZSTD_getCParams`).
  static int heldBytes(int length, int level) {
    int tables = level <= 2 ? 64 << 10 : level <= 4 ? 384 << 10 : 1 << 20;
    return 2 * length + Math.min(tables, 16 * length) + 12_000;
  }

  int heldBytes() {
    return heldBytes(length, level);
  }

  void free() {
    digested.close();
  }
}
