package io.viaduct.tunnel.dictionary;

import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdDictCompress;
import com.github.luben.zstd.ZstdDictDecompress;
import com.github.luben.zstd.ZstdException;
import com.github.luben.zstd.util.Native;
import org.jspecify.annotations.Nullable;

/// Compresses and decompresses single zstd blocks of at most 65,535 bytes.
///
/// The frame and block headers of zstd (RFC 8878 §3.1.1) hold only the original length and the
/// block's length, which the datagram states anyway. So they are not sent: they are removed after
/// compression and made again before decompression. Holds native memory; one per event loop.
public final class ZstdBlocks implements AutoCloseable {
  private static final int BLOCK_HEADER = 3;
  private static final int HEADERS_MAX = 3 + BLOCK_HEADER;
  private static final int LAST_COMPRESSED_BLOCK = 1 | 2 << 1;

  private @Nullable ZstdCompressCtx plain;
  private int plainLevel;
  private @Nullable ZstdCompressCtx primed;
  private @Nullable SendDictionary primedBy;
  private @Nullable ZstdDecompressCtx plainDecompressor;
  private @Nullable ZstdDecompressCtx primedDecompressor;
  private @Nullable ReceiveDictionary decompressorPrimedBy;
  private byte[] framed = new byte[0];

  /// Loads the native library. This takes 50 ms, for which the first block would otherwise wait.
  public static void load() {
    Native.load();
  }

  /// Returns the size of the array that [#compress] needs for its result.
  public static int bound(int rawBytes) {
    return HEADERS_MAX + rawBytes + (rawBytes >> 8) + 64;
  }

  /// Returns the position at which [#compress] puts the first byte to send.
  public static int payloadAt(int rawBytes) {
    return frameHeaderBytes(rawBytes) + BLOCK_HEADER;
  }

  private static int frameHeaderBytes(int rawBytes) {
    return rawBytes < 256 ? 2 : 3;
  }

  /// Compresses without dictionary into `to`, which has [#bound] bytes.
  ///
  /// @return bytes to send, −1 if the result is not one compressed block, because the input does
  ///   not shrink
  public int compress(byte[] raw, int at, int length, int level, byte[] to) {
    ZstdCompressCtx context = plain;
    if (context == null) {
      context = compressor();
      plain = context;
      plainLevel = Integer.MIN_VALUE;
    }
    if (plainLevel != level) {
      context.setLevel(level);
      plainLevel = level;
    }
    return compress(context, raw, at, length, to);
  }

  /// Compresses with a dictionary, at its level.
  int compress(byte[] raw, int at, int length, SendDictionary dictionary, byte[] to) {
    ZstdCompressCtx context = primed;
    if (context == null) {
      context = compressor();
      primed = context;
    }
    if (primedBy != dictionary) {
      context.loadDict(dictionary.digested());
      primedBy = dictionary;
    }
    return compress(context, raw, at, length, to);
  }

  private static ZstdCompressCtx compressor() {
    ZstdCompressCtx made = new ZstdCompressCtx();
    made.setMagicless(true).setChecksum(false).setContentSize(true).setDictID(false);
    return made;
  }

  private static int compress(ZstdCompressCtx context, byte[] raw, int at, int length, byte[] to) {
    int bytes = context.compressByteArray(to, 0, to.length, raw, at, length);
    int header = frameHeaderBytes(length);
    int payload = bytes - header - BLOCK_HEADER;
    boolean single =
        payload > 0
            && (to[0] & 0xFF) == frameDescriptor(length)
            && blockHeader(to, header) == (payload << 3 | LAST_COMPRESSED_BLOCK);
    return single ? payload : -1;
  }

  private static int blockHeader(byte[] from, int at) {
    return from[at] & 0xFF | (from[at + 1] & 0xFF) << 8 | (from[at + 2] & 0xFF) << 16;
  }

  /// Returns the descriptor of a single-segment frame with a content size of 1 or 2 bytes.
  private static int frameDescriptor(int rawBytes) {
    return rawBytes < 256 ? 0x20 : 0x60;
  }

  /// Decompresses a block. @return true if it decompresses to exactly `original` bytes
  boolean decompress(
      byte[] block,
      int at,
      int length,
      @Nullable ReceiveDictionary dictionary,
      byte[] to,
      int toAt,
      int original) {
    int header = payloadAt(original);
    if (framed.length < header + length) {
      framed = new byte[header + length + 1024];
    }
    framed[0] = (byte) frameDescriptor(original);
    int size = original < 256 ? original : original - 256;
    framed[1] = (byte) size;
    framed[2] = (byte) (size >>> 8);
    int blockHeader = length << 3 | LAST_COMPRESSED_BLOCK;
    framed[header - 3] = (byte) blockHeader;
    framed[header - 2] = (byte) (blockHeader >>> 8);
    framed[header - 1] = (byte) (blockHeader >>> 16);
    System.arraycopy(block, at, framed, header, length);
    try {
      return decompressor(dictionary)
              .decompressByteArray(to, toAt, original, framed, 0, header + length)
          == original;
    } catch (ZstdException e) {
      return false;
    }
  }

  private ZstdDecompressCtx decompressor(@Nullable ReceiveDictionary dictionary) {
    ZstdDecompressCtx context = dictionary == null ? plainDecompressor : primedDecompressor;
    if (context == null) {
      context = new ZstdDecompressCtx();
      context.setMagicless(true);
      if (dictionary == null) {
        plainDecompressor = context;
      } else {
        primedDecompressor = context;
      }
    }
    if (dictionary != null && decompressorPrimedBy != dictionary) {
      context.loadDict(dictionary.digested());
      decompressorPrimedBy = dictionary;
    }
    return context;
  }

  /// Unloads a dictionary that is about to be freed.
  void forget(SendDictionary dictionary) {
    ZstdCompressCtx context = primed;
    if (primedBy == dictionary && context != null) {
      context.loadDict((ZstdDictCompress) null);
      primedBy = null;
    }
  }

  void forget(ReceiveDictionary dictionary) {
    ZstdDecompressCtx context = primedDecompressor;
    if (decompressorPrimedBy == dictionary && context != null) {
      context.loadDict((ZstdDictDecompress) null);
      decompressorPrimedBy = null;
    }
  }

  @Override
  public void close() {
    if (plain != null) {
      plain.close();
      plain = null;
    }
    if (primed != null) {
      primed.close();
      primed = null;
      primedBy = null;
    }
    if (plainDecompressor != null) {
      plainDecompressor.close();
      plainDecompressor = null;
    }
    if (primedDecompressor != null) {
      primedDecompressor.close();
      primedDecompressor = null;
      decompressorPrimedBy = null;
    }
  }
}
