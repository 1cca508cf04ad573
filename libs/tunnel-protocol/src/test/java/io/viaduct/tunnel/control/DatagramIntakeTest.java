package io.viaduct.tunnel.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DatagramIntakeTest {
  private static final int MOST = ControlFrame.DATAGRAM_BYTES_WAITING_MAX;
  private final List<String> calls = new ArrayList<>();
  private final List<Runnable> taken = new ArrayList<>();
  private final DatagramIntake intake =
      new DatagramIntake(
          Runnable::run,
          on -> calls.add(on ? "read" : "pause"),
          (datagrams, done) -> {
            calls.add(datagrams.size() + " datagrams");
            datagrams.forEach(ByteBuf::release);
            taken.add(done);
          });

  @Test
  void readingPausesAboveTheBoundAndGoesOnBelowHalfOfIt() {
    assertThat(intake.added(MOST)).isFalse();
    assertThat(intake.added(1)).as("pause").isTrue();
    assertThat(intake.taken(MOST / 2)).isFalse();
    assertThat(intake.taken(2)).as("resume").isTrue();
    assertThat(intake.taken(MOST / 2 - 1)).as("it resumes only once").isFalse();
  }

  @Test
  void datagramsReadTogetherAreHandedOverTogetherAndReadingPausesWhileTooManyWait() {
    intake.readComplete();
    assertThat(calls).as("nothing was read").isEmpty();
    intake.read(Unpooled.buffer().writeZero(MOST / 2));
    intake.read(Unpooled.buffer().writeZero(MOST / 2));
    intake.readComplete();
    intake.read(Unpooled.buffer().writeZero(1));
    intake.readComplete();
    assertThat(calls).containsExactly("2 datagrams", "pause", "1 datagrams");
    taken.forEach(Runnable::run);
    assertThat(calls).endsWith("1 datagrams", "read").hasSize(4);
  }
}
