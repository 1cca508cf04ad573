package io.viaduct.tunnel.compound;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.viaduct.fuzzing.Corpus;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Decompresses arbitrary blocks. Input: two octets that claim the original length, the block.
/// Rules: invalid blocks are refused, nothing outside the bounds is written, and a compressed block
/// decompresses to its original.
final class BlockFuzz {
  private static final BlockCodec CODEC = new BlockCodec();
  private static final int GUARD = 16;

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    if (input.length < 3) {
      return;
    }
    int claimed = (input[0] & 0xFF) << 8 | input[1] & 0xFF;
    byte[] to = new byte[claimed + 2 * GUARD];
    CODEC.decompress(input, 2, input.length - 2, to, GUARD, claimed);
    for (int i = 0; i < GUARD; i++) {
      if (to[i] != 0 || to[to.length - 1 - i] != 0) {
        throw new AssertionError("a block of " + input.length + " bytes wrote outside its bounds");
      }
    }
    byte[] block = new byte[CODEC.bound(input.length)];
    int bytes = CODEC.compress(input, 0, input.length, block);
    byte[] back = new byte[input.length];
    if (!CODEC.decompress(block, 0, bytes, back, 0, back.length) || !Arrays.equals(input, back)) {
      throw new AssertionError("decompression did not restore the original");
    }
  }

  static List<byte[]> seeds() {
    byte[] text = "etaoin shrdlu etaoin shrdlu etaoin shrdlu".getBytes();
    byte[] block = new byte[CODEC.bound(text.length)];
    int bytes = CODEC.compress(text, 0, text.length, block);
    byte[] seed = new byte[2 + bytes];
    seed[1] = (byte) text.length;
    System.arraycopy(block, 0, seed, 2, bytes);
    return List.of(seed, "\0\5abcdefgh".getBytes());
  }
}
