package io.viaduct.cnapt;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RegistrationMovesTest {
  private final EmbeddedChannel clock = new EmbeddedChannel();
  private final AtomicInteger renewals = new AtomicInteger();
  private final RegistrationMoves moves =
      new RegistrationMoves(clock.eventLoop(), renewals::incrementAndGet);

  RegistrationMovesTest() {
    clock.freezeTime();
  }

  private void pass(long ms) {
    clock.advanceTimeBy(ms, TimeUnit.MILLISECONDS);
    clock.runScheduledPendingTasks();
  }

  @Test
  void theRegistrationIsRenewedWhenTheDeviceStaysOnAnotherNetwork() {
    moves.moved("a", "b");
    pass(RegistrationMoves.STEADY_MS - 1);
    assertThat(renewals).hasValue(0);
    pass(1);
    assertThat(renewals).hasValue(1);
    moves.moved("b", "a");
    pass(RegistrationMoves.STEADY_MS);
    assertThat(renewals).hasValue(2);
  }

  @Test
  void aLinkThatFlapsAndStaysCausesNoRenewal() {
    for (int flap = 0; flap < 10; flap++) {
      moves.moved("a", "b");
      pass(500);
      moves.moved("b", "a");
      pass(500);
    }
    pass(10_000);
    assertThat(renewals).hasValue(0);
  }

  @Test
  void aLinkThatFlapsAndGoesCausesOneRenewal() {
    for (int flap = 0; flap < 10; flap++) {
      moves.moved("a", "b");
      pass(500);
      moves.moved("b", "a");
      pass(500);
    }
    moves.moved("a", "b");
    pass(10_000);
    assertThat(renewals).hasValue(1);
  }
}
