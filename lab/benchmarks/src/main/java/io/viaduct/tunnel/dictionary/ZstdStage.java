package io.viaduct.tunnel.dictionary;

import io.viaduct.stages.WordText;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/// Measures compression and decompression of one block of text with zstd, alone and with a
/// dictionary of 64 KiB. The class is in the codec's package, because dictionaries are private to
/// it.
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH calls set up before anything else
public class ZstdStage {
  private static final int HISTORY_BYTES = 65_536;
  private static final int EPOCH = 1;

  @Param({"3", "12"})
  public int level;

  @Param({"100", "1400"})
  public int bytes;

  private final ZstdBlocks blocks = new ZstdBlocks();
  private SendDictionary sending;
  private ReceiveDictionary receiving;
  private byte[] raw;
  private byte[] alone;
  private byte[] primed;
  private byte[] back;
  private int aloneBytes;
  private int primedBytes;

  @Setup
  public void makeDictionary() {
    WordText text = new WordText(3);
    byte[] dictionary = Dictionaries.of(text.next(HISTORY_BYTES), HISTORY_BYTES);
    sending = Dictionaries.sending(EPOCH, dictionary, level);
    receiving = new ReceiveDictionary(EPOCH, dictionary, dictionary.length);
    raw = text.next(bytes);
    back = new byte[bytes];
    alone = new byte[ZstdBlocks.bound(bytes)];
    primed = new byte[ZstdBlocks.bound(bytes)];
    aloneBytes = compress();
    primedBytes = compressWithDictionary();
    if (!decompress() || !decompressWithDictionary()) {
      throw new IllegalStateException("a block must decompress");
    }
  }

  @TearDown
  public void free() {
    blocks.close(); // releases the dictionaries that it has used
    sending.free();
    receiving.free();
  }

  @Benchmark
  public int compress() {
    return blocks.compress(raw, 0, bytes, level, alone);
  }

  @Benchmark
  public int compressWithDictionary() {
    return blocks.compress(raw, 0, bytes, sending, primed);
  }

  @Benchmark
  public boolean decompress() {
    int at = ZstdBlocks.payloadAt(bytes);
    return blocks.decompress(alone, at, aloneBytes, null, back, 0, bytes);
  }

  @Benchmark
  public boolean decompressWithDictionary() {
    int at = ZstdBlocks.payloadAt(bytes);
    return blocks.decompress(primed, at, primedBytes, receiving, back, 0, bytes);
  }
}
