package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Flows of the low-delay classes over two links of 20 and 60 ms there and back. The first one
/// falls to 2 Mbit/s: it stays the nearer one, but is too slow for a film of 4 Mbit/s.
class SlowPathTest {
  private static final long SEED = 37;
  private static final int PAYLOAD = 972;
  private static final int FILM = 5_000;
  private static final int CHAT = 5_001;
  private static final int BULK = 5_002;
  private static final int FILM_PER_SECOND = 500; // 4 Mbit/s
  private static final int CHAT_PER_SECOND = 8;

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final PathsRig rig = PathsRig.opened(ServiceClass.HT_LD, Set.of(), SEED);
  private final List<Long> movesMs = new ArrayList<>();
  private int filmPath = -1;
  private int sent;

  @AfterEach
  void close() {
    rig.close();
  }

  private void slow() {
    rig.links.getFirst().bytesPerSecond = 250_000;
    rig.links.getFirst().queueNs = 200_000_000;
  }

  private void send(int port) {
    byte[] payload = new byte[PAYLOAD];
    random.nextBytes(payload);
    rig.send(rig.agent, PacketForge.udp(PacketForge.Endpoints.ipv4(port, 7, 53), payload));
    sent++;
  }

  private FlowState flow(int port) {
    return find(port).orElseThrow();
  }

  private Optional<FlowState> find(int port) {
    List<FlowState> found = new ArrayList<>();
    rig.agent.flows().forEach(found::add);
    return found.stream().filter(each -> each.devicePort() == port).findAny();
  }

  /// Sends so many packets per second of each flow, and notes the moves of the film.
  private void run(int ms, int film, int chat, int bulk) {
    int[] ports = {FILM, CHAT, BULK};
    int[] perSecond = {film, chat, bulk};
    double[] owed = new double[ports.length];
    for (int i = 0; i < ms; i++) {
      for (int each = 0; each < ports.length; each++) {
        for (owed[each] += perSecond[each] / 1000.0; owed[each] >= 1; owed[each]--) {
          send(ports[each]);
        }
      }
      if (i % 100 == 0) {
        rig.probeAll();
      }
      rig.advanceMs(1);
      find(FILM).ifPresent(this::look);
    }
  }

  private void look(FlowState of) {
    int path = of.path();
    if (filmPath >= 0 && path != filmPath) {
      movesMs.add(rig.nowNs / 1_000_000);
    }
    filmPath = path;
  }

  @Test
  void aFilmLeavesThePathWhoseRateHasFallenBelowItsOwn() {
    run(3_000, FILM_PER_SECOND, 0, 0);
    assertThat(filmPath).as("the nearer one, seed %d", SEED).isZero();
    long slowMs = rig.nowNs / 1_000_000;
    slow();
    run(5_000, FILM_PER_SECOND, 0, 0);
    assertThat(filmPath).as("moves %s, slow from %d, seed %d", movesMs, slowMs, SEED).isEqualTo(1);
    // The loss that drove it away is forgotten: it returns once, and learns the rate.
    run(40_000, FILM_PER_SECOND, 0, 0);
    rig.advanceMs(200);
    rig.atSnapt.clear();
    sent = 0;
    run(20_000, FILM_PER_SECOND, 0, 0);
    rig.advanceMs(500);
    assertThat(rig.atSnapt).as("nothing is dropped there, seed %d", SEED).hasSize(sent);
  }

  @Test
  void aFilmOnASlowPathOscillatesLessAndLess() {
    slow();
    run(600_000, FILM_PER_SECOND, 0, 0);
    assertThat(filmPath).as("seed %d", SEED).isEqualTo(1);
    assertThat(movesMs).as("moves at ms, seed %d", SEED).hasSizeLessThanOrEqualTo(9);
    rig.advanceMs(500);
    assertThat(sent - rig.atSnapt.size())
        .as("lost of %d, moves %s, seed %d", sent, movesMs, SEED)
        .isLessThan(sent / 200);
  }

  @Test
  void theFilmReturnsToThePathWhenItAsksForLess() {
    slow();
    run(10_000, FILM_PER_SECOND, 0, 0);
    assertThat(filmPath).as("seed %d", SEED).isEqualTo(1);
    run(40_000, FILM_PER_SECOND / 8, 0, 0);
    assertThat(filmPath).as("500 kbit/s fit, moves %s, seed %d", movesMs, SEED).isZero();
  }

  @Test
  void aSmallFlowBesideBulkStaysOnTheNearPath() {
    slow();
    rig.serviceClass = ServiceClass.HT_HD;
    send(BULK);
    rig.agent.route(flow(BULK), 0, rig.nowNs);
    run(3_000, 0, 0, 400);
    rig.serviceClass = ServiceClass.HT_LD;
    send(CHAT);
    for (int seconds = 0; seconds < 20; seconds++) {
      run(1_000, 0, CHAT_PER_SECOND, 400);
      assertThat(flow(CHAT).path()).as("after %d s, seed %d", seconds, SEED).isZero();
    }
  }

  @Test
  void aFlowOfTheOtherLowDelayClassStaysOnTheNearPathWhenTheFilmLeavesIt() {
    slow();
    rig.serviceClass = ServiceClass.LT_LD;
    send(CHAT);
    rig.serviceClass = ServiceClass.HT_LD;
    run(10_000, FILM_PER_SECOND, CHAT_PER_SECOND, 0);
    assertThat(filmPath).as("seed %d", SEED).isEqualTo(1);
    assertThat(flow(CHAT).path()).as("seed %d", SEED).isZero();
  }

  @Test
  void thePersonIsToldThatTheNearerPathIsTooSlow() {
    slow();
    run(10_000, FILM_PER_SECOND, 0, 0);
    assertThat(rig.agent.reasonOf(flow(FILM), rig.nowNs).kind())
        .as("seed %d", SEED)
        .isEqualTo(PathReason.Kind.CARRIES);
  }
}
