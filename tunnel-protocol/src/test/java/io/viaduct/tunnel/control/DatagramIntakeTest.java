package io.viaduct.tunnel.control;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DatagramIntakeTest {
  private static final int MOST = ControlFrame.DATAGRAM_BYTES_WAITING_MAX;
  private final DatagramIntake intake = new DatagramIntake();

  @Test
  void readingPausesAboveTheBoundAndGoesOnBelowHalfOfIt() {
    assertThat(intake.added(MOST)).isFalse();
    assertThat(intake.added(1)).as("pause").isTrue();
    assertThat(intake.taken(MOST / 2)).isFalse();
    assertThat(intake.taken(2)).as("resume").isTrue();
    assertThat(intake.taken(MOST / 2 - 1)).as("only once").isFalse();
  }
}
