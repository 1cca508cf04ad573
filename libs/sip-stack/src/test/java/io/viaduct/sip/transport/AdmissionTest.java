package io.viaduct.sip.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.sip.transport.Admission.Decision;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AdmissionTest {
  private static final int LIMIT = 100;
  private static final int LATE_MS = 200;
  private static final long NOW_MS = 1_000_000;

  private final Admission admission = new Admission(LIMIT, 1_000_000);

  @Test
  void newWorkIsTakenUpToTheLimit() {
    assertThat(admitted(true, 2 * LIMIT)).isEqualTo(LIMIT);
  }

  @Test
  void workThatHasBegunMayUseTwiceTheLimit() {
    admitted(true, LIMIT);

    assertThat(admitted(false, 2 * LIMIT)).isEqualTo(LIMIT);
    assertThat(admission.unanswered()).isEqualTo(Decision.DROP);
  }

  @Test
  void newWorkIsRefusedWhileMessagesWaitTooLong() {
    admitted(true, LIMIT / 2);
    measured(LATE_MS, NOW_MS);

    assertThat(admission.request(true, NOW_MS)).isEqualTo(Decision.ANSWER_503);
    assertThat(admission.request(false, NOW_MS)).isEqualTo(Decision.ADMIT);
    assertThat(admission.unanswered()).isEqualTo(Decision.ADMIT);
  }

  @Test
  void newWorkIsTakenAgainWhenTheQueueHasGone() {
    admitted(true, LIMIT / 2);
    measured(LATE_MS, NOW_MS);
    for (int i = 0; i < LIMIT / 2; i++) {
      admission.done();
    }

    assertThat(admission.request(true, NOW_MS)).isEqualTo(Decision.ADMIT);
  }

  @Test
  void newWorkIsTakenAgainWhenMessagesWaitLess() {
    admitted(true, LIMIT / 2);
    measured(LATE_MS, NOW_MS);
    measured(0, NOW_MS);

    assertThat(admission.request(true, NOW_MS)).isEqualTo(Decision.ADMIT);
  }

  @Test
  void anOldWaitSaysNothing() {
    admitted(true, LIMIT / 2);
    measured(LATE_MS, NOW_MS);

    assertThat(admission.request(true, NOW_MS + 1_000)).isEqualTo(Decision.ADMIT);
  }

  @Test
  void theBudgetOfAnswersIsOneOfEachSecond() {
    Admission few = new Admission(1, 2);

    assertThat(IntStream.range(0, 4).mapToObj(_ -> few.request(true, NOW_MS)))
        .containsExactly(Decision.ADMIT, Decision.ANSWER_503, Decision.ANSWER_503, Decision.DROP);
    assertThat(few.request(true, NOW_MS + 1_000)).isEqualTo(Decision.ANSWER_503);
  }

  private long admitted(boolean begins, int requests) {
    return IntStream.range(0, requests)
        .mapToObj(_ -> admission.request(begins, NOW_MS))
        .filter(Decision.ADMIT::equals)
        .count();
  }

  private void measured(int waitMs, long nowMs) {
    for (int i = 0; i < LIMIT; i++) {
      admission.waited(waitMs, nowMs);
    }
  }
}
