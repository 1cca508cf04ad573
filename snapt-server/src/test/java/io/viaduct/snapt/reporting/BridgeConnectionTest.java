package io.viaduct.snapt.reporting;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class BridgeConnectionTest {
  @Test
  void snaptsComeBackWithinOneAndAHalfSecondsButNotTogether() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    long[] pauses =
        LongStream.generate(() -> BridgeConnection.retryMs(random)).limit(1_000).toArray();
    assertThat(LongStream.of(pauses).boxed())
        .as("seed %d", seed)
        .allMatch(ms -> ms >= 500 && ms < 1_500);
    assertThat(LongStream.of(pauses).filter(ms -> ms < 1_000).count())
        .as("of 1000 in the first half, seed %d", seed)
        .isBetween(400L, 600L);
  }
}
