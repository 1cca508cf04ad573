package io.viaduct.tunnel.compound;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.codec.CodecCosts;
import io.viaduct.tunnel.dictionary.BackgroundWork;
import io.viaduct.tunnel.dictionary.HistoryMemory;
import org.junit.jupiter.api.Test;

class BlockCompressorTest {
  private final CompoundMemory memory = new CompoundMemory();
  private final BlockCompressor compressor = compressor(memory);

  private static BlockCompressor compressor(CompoundMemory memory) {
    HistoryMemory loop = new HistoryMemory(BackgroundWork.INLINE, () -> 0, 1 << 20);
    return new BlockCompressor(memory, loop, null, false);
  }

  @Test
  void aBlockThatIsTooSmallToShrinkIsNotCompressed() {
    compressor.compress(new byte[64], 0, BlockCompressor.TRIED_MIN - 1, null, CodecCosts.LZ4, 0);
    assertThat(compressor.hasShrunk()).isFalse();
    assertThat(memory.compressions).isZero();
  }

  @Test
  void aBlockOfEqualBytesShrinksFromTheSmallestSizeOn() {
    compressor.compress(new byte[64], 0, BlockCompressor.TRIED_MIN, null, CodecCosts.LZ4, 0);
    assertThat(compressor.hasShrunk()).isTrue();
    assertThat(compressor.length).isLessThan(BlockCompressor.TRIED_MIN);
    assertThat(memory.compressions).isEqualTo(1);
  }
}
