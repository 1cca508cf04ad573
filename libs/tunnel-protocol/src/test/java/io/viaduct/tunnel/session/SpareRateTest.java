package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Flows that count rate, on two links of 8 Mbit/s. The first link is nearer.
class SpareRateTest {
  private static final long SEED = 29;
  private static final int PAYLOAD = 972;
  private static final int FIRST = 5_000;
  private static final int SECOND = 5_001;
  private static final int NEW = 5_002;

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final PathsRig rig = PathsRig.opened(ServiceClass.HT_HD, Set.of(), SEED);

  @BeforeEach
  void limit() {
    rig.links.forEach(link -> {
      link.bytesPerSecond = 1e6;
      link.queueNs = 200_000_000;
    });
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private void send(int port) {
    byte[] payload = new byte[PAYLOAD];
    random.nextBytes(payload);
    rig.send(rig.agent, PacketForge.udp(PacketForge.Endpoints.ipv4(port, 7, 53), payload));
  }

  private FlowState flow(int port) {
    List<FlowState> found = new ArrayList<>();
    rig.agent.flows().forEach(found::add);
    return found.stream().filter(each -> each.devicePort() == port).findAny().orElseThrow();
  }

  /// Sends about as many packets of 1000 bytes per second by each path.
  private void load(int byFirst, int bySecond, int ms) {
    for (int i = 0; i < ms; i++) {
      if (i * byFirst / 1000 != (i + 1) * byFirst / 1000) {
        send(FIRST);
      }
      if (byFirst > 1000 && i % 2 == 0) {
        send(FIRST);
      }
      if (i * bySecond / 1000 != (i + 1) * bySecond / 1000) {
        send(SECOND);
      }
      if (bySecond > 1000 && i % 2 == 0) {
        send(SECOND);
      }
      rig.advanceMs(1);
    }
  }

  private void fillBoth() {
    send(FIRST);
    send(SECOND);
    rig.agent.route(flow(FIRST), 0, rig.nowNs);
    rig.agent.route(flow(SECOND), 1, rig.nowNs);
    load(1_500, 1_500, 3_000);
    assertThat(rig.agent.paths(rig.nowNs))
        .as("rates of both paths are known, seed %d", SEED)
        .allSatisfy(path -> assertThat(path.spareBitPerSecond()).isFinite());
  }

  @Test
  void aNewFlowTakesThePathWithTheMostSpareRateAlthoughNoQueueStandsOnEither() {
    fillBoth();
    load(800, 100, 3_000);
    send(NEW);
    assertThat(flow(NEW).path()).as("seed %d", SEED).isEqualTo(1);
  }

  @Test
  void theSpareRateIsTheRateOfThePathWithoutWhatIsSentThere() {
    fillBoth();
    load(600, 100, 3_000);
    assertThat(rig.agent.paths(rig.nowNs).get(0).spareBitPerSecond())
        .as("seed %d", SEED)
        .isBetween(1.5e6, 4.5e6);
    assertThat(rig.agent.paths(rig.nowNs).get(1).spareBitPerSecond())
        .as("seed %d", SEED)
        .isBetween(5.5e6, 9e6);
  }

  @Test
  void aPathThatIsFullHasHardlyAnySpareRate() {
    fillBoth();
    load(1_500, 100, 1_000);
    assertThat(rig.agent.paths(rig.nowNs).getFirst().spareBitPerSecond())
        .as("seed %d", SEED)
        .isLessThan(0.8e6);
  }

  @Test
  void thePathThatWasNeverFullHasTheMostSpareRateAndOfSeveralTheNearest() {
    send(NEW);
    assertThat(rig.agent.paths(rig.nowNs))
        .allSatisfy(path -> assertThat(path.spareBitPerSecond()).isInfinite());
    assertThat(flow(NEW).path()).isZero();
  }
}
