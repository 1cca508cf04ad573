package io.viaduct.tunnel.dictionary;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

class BlockLogProperties {
  private record Held(long sequence, byte[] bytes) {}

  /// The oracle is a list: the log holds the newest of the entered blocks.
  @Property(tries = 100, shrinking = ShrinkingMode.OFF)
  void theLogHoldsTheNewestBlocksAndKnowsTheHighestEvictedSequence(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int capacity = 1 << random.nextInt(12, 18);
    BlockLog log = new BlockLog(capacity);
    List<Held> oracle = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      byte[] bytes = new byte[random.nextInt(1, random.nextInt(2, 3_000))];
      random.nextBytes(bytes);
      long sequence = i * 3L + random.nextInt(40);
      boolean later = random.nextBoolean();
      long block = log.begin(bytes.length, later ? BlockLog.UNSEALED : sequence);
      int cut = random.nextInt(bytes.length + 1);
      log.append(bytes, 0, cut);
      log.append(bytes, cut, bytes.length - cut);
      if (later) {
        log.sealed(block, sequence);
      }
      oracle.add(new Held(sequence, bytes));
    }
    long[] order = new long[BlockLog.BLOCKS_MAX];
    order = Arrays.copyOf(order, log.order(order));
    long before = -1;
    byte[] copy = new byte[3_000];
    for (long ordered : order) {
      long sequence = BlockLog.sequence(ordered);
      assertThat(sequence).as("seed %d", seed).isGreaterThanOrEqualTo(before);
      before = sequence;
      int length = log.copy(ordered, copy, 0);
      assertThat(length).isEqualTo(log.length(ordered));
      assertThat(oracle)
          .as("seed %d", seed)
          .anyMatch(h ->
              h.sequence == sequence && Arrays.equals(h.bytes, 0, h.bytes.length, copy, 0, length));
    }
    long held = oracle.stream().filter(h -> h.sequence > log.evictedHighest()).count();
    assertThat((long) order.length).as("seed %d", seed).isEqualTo(held);
  }
}
