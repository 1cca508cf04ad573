package io.viaduct.testbed.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CommandLineStepTest {
  @Test
  void anAmountIsTheSameWithoutTheZerosAtItsEnd() {
    String explained =
        "LINE              AMOUNT\nto pay       0.59256 den\nThis is what was posted.";
    assertThat(CommandLineStep.comesTo(explained, 592_560)).isTrue();
    assertThat(CommandLineStep.comesTo(explained, 592_561)).isFalse();
    assertThat(CommandLineStep.comesTo("to pay       12 den\n", 12_000_000)).isTrue();
    assertThat(CommandLineStep.comesTo("nothing", 0)).isFalse();
  }
}
