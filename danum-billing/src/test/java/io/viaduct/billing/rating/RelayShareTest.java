package io.viaduct.billing.rating;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ledger.MicroDenarii;
import java.util.List;
import org.junit.jupiter.api.Test;

class RelayShareTest {
  private static List<Long> rewards(long charge, double share, long wire, long... relayed) {
    return RelayShare.of(new MicroDenarii(charge), share, wire, relayed).stream()
        .map(MicroDenarii::value)
        .toList();
  }

  @Test
  void theLargestRemainderGetsWhatRoundingLeaves() {
    assertThat(rewards(100, 0.1, 30, 10, 10, 10)).containsExactly(4L, 3L, 3L);
    assertThat(rewards(1_000, 0.1, 70, 20, 50)).containsExactly(29L, 71L);
  }

  @Test
  void theOperatorKeepsWhatWentWithoutARelay() {
    assertThat(rewards(1_000, 0.2, 400, 100, 100)).containsExactly(50L, 50L);
    assertThat(rewards(1_000, 0.2, 400)).isEmpty();
    assertThat(rewards(1_000, 0, 400, 400)).containsExactly(0L);
    assertThat(rewards(0, 0.2, 400, 400)).containsExactly(0L);
  }

  @Test
  void relaysNeverHaveMoreThanTheShare() {
    assertThat(rewards(1_000, 0.2, 400, 900, 300)).containsExactly(150L, 50L);
    assertThat(rewards(1_000, 0.2, 0, 1)).containsExactly(200L);
  }
}
