package io.viaduct.sip.aka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SequenceNumbersTest {
  private static final long NOW = Instant.parse("2026-06-01T00:00:00Z").toEpochMilli();

  private final SequenceNumbers numbers = new SequenceNumbers();

  private long seq(long nowMs) {
    return numbers.next("alice", nowMs) >>> 5;
  }

  @Test
  void challengesOfOneMomentDifferAndLaterOnesAreHigher() {
    Set<Long> moment = new HashSet<>();
    for (int i = 0; i < 32; i++) {
      moment.add(numbers.next("alice", NOW));
    }
    assertThat(moment).hasSize(32);
    assertThat(seq(NOW + 1000)).isEqualTo(seq(NOW) + 1);
  }

  @Test
  void aCardThatIsAheadGetsHigherNumbersFromThenOnAndOtherCardsDoNot() {
    long ahead = seq(NOW) + 1000;
    numbers.resynchronise("alice", ahead << 5 | 7, NOW);
    assertThat(seq(NOW)).isEqualTo(ahead + 1);
    assertThat(seq(NOW + Duration.ofDays(1).toMillis())).isEqualTo(ahead + 1 + 86_400);
    assertThat(numbers.next("bob", NOW) >>> 5).isLessThan(ahead);
  }

  @Test
  void aNewCardThatTakesNoLeapOfYearsGetsTheNumberAfterItsOwn() {
    long late = NOW + Duration.ofDays(4000).toMillis();
    numbers.resynchronise("alice", 0, late);
    assertThat(seq(late)).isEqualTo(1);
  }

  @Test
  void aClockThatIsNotSetBeginsAtOne() {
    assertThat(seq(0)).isEqualTo(1);
  }

  @Test
  void aRepeatedAnswerOfACardChangesNothing() {
    long before = seq(NOW);
    numbers.resynchronise("alice", before - 1 << 5, NOW);
    assertThat(seq(NOW)).isEqualTo(before);
  }
}
