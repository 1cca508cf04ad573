package io.viaduct.tunnel.compound;

import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/// Compresses and decompresses LZ4 blocks (lz4_Block_format.md). The decompressor checks bounds and
/// writes only within the caller's bounds.
final class BlockCodec {
  private final LZ4Compressor compressor;
  private final LZ4SafeDecompressor decompressor;

  BlockCodec() {
    LZ4Factory factory = LZ4Factory.fastestInstance();
    compressor = factory.fastCompressor();
    decompressor = factory.safeDecompressor();
  }

  int bound(int rawBytes) {
    return compressor.maxCompressedLength(rawBytes);
  }

  /// Compresses into `to`, which has [#bound] bytes. @return compressed length
  int compress(byte[] raw, int at, int length, byte[] to) {
    return compressor.compress(raw, at, length, to, 0, to.length);
  }

  /// Decompresses a block. @return true if it decompresses to exactly `originalBytes`
  boolean decompress(byte[] block, int at, int length, byte[] to, int toAt, int originalBytes) {
    try {
      return decompressor.decompress(block, at, length, to, toAt, originalBytes) == originalBytes;
    } catch (LZ4Exception e) {
      return false;
    }
  }
}
