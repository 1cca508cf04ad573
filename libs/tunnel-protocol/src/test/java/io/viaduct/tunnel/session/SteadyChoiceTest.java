package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A call over two links of 10 and 30 ms: nothing oscillates, whatever the first link does.
class SteadyChoiceTest {
  private static final long SEED = 31;
  private static final long CALL_MS = 20;

  private final PathsRig rig = PathsRig.opened(ServiceClass.LT_LD, Set.of(), SEED);
  private final List<Long> movesMs = new ArrayList<>();
  private int path = -1;

  @AfterEach
  void close() {
    rig.close();
  }

  /// Talks, and notes the moves.
  private void talk(long ms) {
    for (long passed = 0; passed < ms; passed += CALL_MS) {
      byte[] packet = PacketForge.udp(PacketForge.Endpoints.ipv4(5000, 7, 53), new byte[80]);
      rig.send(rig.agent, packet);
      if (passed % 100 == 0) {
        rig.probeAll();
      }
      rig.advanceMs(CALL_MS);
      rig.agent.flows().forEach(this::look);
    }
  }

  private void look(FlowState flow) {
    if (path >= 0 && path != flow.path()) {
      movesMs.add(rig.nowNs / 1_000_000);
    }
    path = flow.path();
  }

  private void delayMs(long ms) {
    rig.links.getFirst().delayNs = ms * 1_000_000;
  }

  private void oscillate(int seconds, long halfPeriodMs) {
    for (long passed = 0; passed < seconds * 1000L; passed += 2 * halfPeriodMs) {
      delayMs(200);
      talk(halfPeriodMs);
      delayMs(10);
      talk(halfPeriodMs);
    }
  }

  @Test
  void aPathWhoseDelayOscillatesCausesAtMostFiveMovesInAnyMinute() {
    talk(2_000);
    oscillate(240, 3_000);
    assertThat(movesMs).as("moves at ms, seed %d", SEED).isNotEmpty();
    for (long from : movesMs) {
      assertThat(movesMs.stream().filter(ms -> ms >= from && ms < from + 60_000))
          .as("moves at %s ms, seed %d", movesMs, SEED)
          .hasSizeLessThanOrEqualTo(5);
    }
  }

  @Test
  void theTimeBetweenTwoMovesDoubles() {
    talk(2_000);
    for (int i = 0; i < 6; i++) {
      delayMs(i % 2 == 0 ? 200 : 10);
      int before = movesMs.size();
      for (int seconds = 0; seconds < 60 && movesMs.size() == before; seconds++) {
        talk(1_000);
      }
    }
    assertThat(movesMs).hasSize(6);
    long third = movesMs.get(3) - movesMs.get(2);
    long last = movesMs.get(5) - movesMs.get(4);
    assertThat(last).as("moves at %s ms, seed %d", movesMs, SEED).isGreaterThan(2 * third);
  }

  @Test
  void afterALongTimeWithoutAMoveTheHoldTimeIsShortAgain() {
    talk(2_000);
    oscillate(60, 3_000);
    delayMs(10);
    talk(300_000);
    movesMs.clear();
    long changedMs = rig.nowNs / 1_000_000;
    delayMs(path == 0 ? 200 : 10);
    talk(10_000);
    assertThat(movesMs).as("change at %d ms, seed %d", changedMs, SEED).hasSize(1);
    assertThat(movesMs.getFirst() - changedMs).isLessThan(2_500);
  }

  @Test
  void aLinkThatIsLostAndReturnsDoesNotLengthenTheHoldTime() {
    talk(2_000);
    for (int i = 0; i < 3; i++) {
      rig.use(0, PathUse.NO);
      talk(1_000);
      rig.use(0, PathUse.YES);
      rig.links.get(1).delayNs = 10_000_000; // not better than the first one, so there is no return
      talk(5_000);
    }
    rig.links.get(1).delayNs = 30_000_000;
    talk(5_000);
    assertThat(path).isZero();
    movesMs.clear();
    long changedMs = rig.nowNs / 1_000_000;
    delayMs(200);
    talk(5_000);
    assertThat(movesMs).as("change at %d ms, seed %d", changedMs, SEED).hasSize(1);
    assertThat(movesMs.getFirst() - changedMs).isLessThan(2_500);
  }

  @Test
  void aPathThatLosesMuchIsLeftWithoutAHoldTime() {
    talk(2_000);
    oscillate(60, 3_000);
    delayMs(10);
    talk(120_000);
    assertThat(path).isZero();
    movesMs.clear();
    long changedMs = rig.nowNs / 1_000_000;
    rig.links.getFirst().lossRatio = 0.3;
    talk(8_000);
    assertThat(movesMs).as("change at %d ms, seed %d", changedMs, SEED).isNotEmpty();
    assertThat(movesMs.getFirst() - changedMs).isLessThan(6_000);
  }
}
