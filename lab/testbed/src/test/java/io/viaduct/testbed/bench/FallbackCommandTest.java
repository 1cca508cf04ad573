package io.viaduct.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.bench.FallbackCommand.Change;
import org.junit.jupiter.api.Test;

class FallbackCommandTest {
  @Test
  void aSilenceThatTheAgentsChangeEndsLastsFromThereUntilDataComes() {
    assertThat(Change.of("control", 650, 655, 605).againMs()).isEqualTo(50);
  }

  @Test
  void aSilenceThatWasOverBeforeTheAgentsChangeIsNotOfItsMaking() {
    assertThat(Change.of("udp", 20, 300, 1150).againMs()).isZero();
  }

  @Test
  void aLaterSilenceCostsNoMoreThanItsLength() {
    assertThat(Change.of("udp", 13.5, 1774, 1150).againMs()).isEqualTo(13.5);
  }
}
