package io.viaduct.cnapt.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DistributionTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "own wlan*",
        "throughput",
        "cost",
        "all",
        "packet",
        "lowest-delay",
        "lowest-delay, copy while losing",
        "cost then throughput after 5000 ms then packet when full",
        "own eth0 then lowest-delay after 100 ms"
      })
  void aMethodIsPrintedAsItIsRead(String text) {
    assertThat(Distribution.of(text)).hasToString(text);
    assertThat(Distribution.of(Distribution.of(text).toString())).isEqualTo(Distribution.of(text));
  }

  @ParameterizedTest
  @CsvSource({
    "0, false, cost",
    "4999, false, cost",
    "5000, false, throughput after 5000 ms",
    "119999, false, throughput after 5000 ms",
    "120000, false, all after 120000 ms",
    "0, true, packet when full",
    "999999, true, packet when full"
  })
  void theLastStepWhoseTimeHasComeApplies(long ageMs, boolean isFull, String method) {
    Distribution steps =
        Distribution.of("cost then throughput after 5s then all after 2 min then packet when full");
    assertThat(steps.at(TimeUnit.MILLISECONDS.toNanos(ageMs), isFull)).hasToString(method);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "fast | method must be one of own LINK | throughput | cost | all | packet",
        "own | got 'own'",
        "own a/b | name must be an interface or a pattern",
        "cost then | got 'cost then'",
        "cost then x then all after 1 s | the words behind 'then' must be METHOD after T s, or METHOD when full, got 'x'",
        "cost then all | got 'all'",
        "cost then all after soon | the time behind 'after' must be such as 5 s",
        "cost then all after 5s then cost after 5 s | must grow from step to step, got 5000 ms behind 5000 ms",
        "cost then all after 0 s | must grow from step to step",
        "cost then all when full then cost after 5 s | 'all when full' must be the last step",
        "cost after 5 s | got 'cost after 5 s'",
        "cost then cost after 5 s | the step 'cost after 5000 ms' changes nothing, because the method is 'cost' before it: leave it out",
        "all then all when full | the step 'all when full' changes nothing, because the method is 'all' before it",
        "cost then all after 1 s then all after 2 s | the step 'all after 2000 ms' changes nothing",
        "own eth0 then own eth0 after 2 s | the step 'own eth0 after 2000 ms' changes nothing"
      })
  void whatIsWrongIsRefusedWithTheRule(String line) {
    String[] parts = line.split(" \\| ", 2);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Distribution.of(parts[0]))
        .withMessageContaining(parts[1]);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cost then all after 5 s then cost after 9 s",
        "cost then all after 5 s then all when full",
        "own eth0 then own wlan0 after 5 s",
        "lowest-delay then lowest-delay, copy while losing after 5 s"
      })
  void aStepThatChangesTheMethodOfSomeFlowsIsAccepted(String text) {
    assertThat(Distribution.of(text).steps()).hasSizeGreaterThan(1);
  }

  @Test
  void aMethodHasFiveStepsAtMost() {
    assertThatIllegalArgumentException()
        .isThrownBy(() ->
            Distribution.of(
                "all then all after 1s then all after 2s then all after 3s then all after 4s"
                    + " then all after 5s"))
        .withMessageContaining("at most 5 steps, got 6");
  }
}
