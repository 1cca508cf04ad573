package io.viaduct.tunnel.compound;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/// Measures compression and decompression of one block with LZ4. The class is in the codec's
/// package, because the codec is private to it.
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH calls set up before anything else
public class CompressStage {
  private static final byte[] TEXT =
      "The way of a packet is a list: find its flow, make a record of it, press it, seal it. "
          .getBytes(StandardCharsets.US_ASCII);

  @Param({"random", "text"})
  public String payload;

  @Param({"100", "1400", "8000"})
  public int bytes;

  private final BlockCodec codec = new BlockCodec();
  private byte[] raw;
  private byte[] block;
  private byte[] back;
  private int blockBytes;

  @Setup
  public void makePayload() {
    raw = new byte[bytes];
    back = new byte[bytes];
    if (payload.equals("random")) {
      new SplittableRandom(3).nextBytes(raw);
    } else {
      for (int i = 0; i < bytes; i++) {
        raw[i] = TEXT[i % TEXT.length];
      }
    }
    block = new byte[codec.bound(bytes)];
    blockBytes = codec.compress(raw, 0, bytes, block);
  }

  @Benchmark
  public int compress() {
    return codec.compress(raw, 0, bytes, block);
  }

  @Benchmark
  public boolean decompress() {
    return codec.decompress(block, 0, blockBytes, back, 0, bytes);
  }
}
