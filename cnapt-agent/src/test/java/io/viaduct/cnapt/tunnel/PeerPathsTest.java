package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.policy.PathStatus;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The paths of both peers with real sockets and the clock of the test.
class PeerPathsTest {
  private static final UsableLink ONE = LoopbackPaths.link(1, false);
  private static final UsableLink OTHER = LoopbackPaths.link(2, false);

  private LoopbackPeers peers;

  @BeforeEach
  void open() throws Exception {
    peers = new LoopbackPeers();
  }

  @AfterEach
  void close() {
    peers.close();
  }

  private static List<Integer> used(List<PathStatus> of) {
    return of.stream().filter(each -> each.use().equals("yes")).map(PathStatus::id).toList();
  }

  @Test
  void bothEndsListFourPathsAndTheListeningOneKnowsWhatTheOtherHasMeasured() {
    peers.begin(ONE, OTHER);
    peers.advanceMs(5_000);
    assertThat(used(peers.status(peers.dialling))).containsExactlyInAnyOrder(0, 1, 2, 3);
    List<PathStatus> listening = peers.status(peers.listening);
    assertThat(used(listening)).containsExactly(0, 1, 2, 3);
    assertThat(listening)
        .as("shared, not measured here: seed %d", LoopbackPeers.SEED)
        .allSatisfy(each -> {
          assertThat(each.delayMs()).isPositive();
          assertThat(each.usualDelayMs()).isPositive();
          assertThat(each.peerBitPerSecond()).isPositive();
        });
    assertThat(peers.listening.watchdogs()).isZero();
  }

  @Test
  void packetsPassInBothDirections() {
    peers.begin(ONE, OTHER);
    peers.advanceMs(1_000);
    for (int i = 0; i < 50; i++) {
      peers.send(true);
      peers.send(false);
      peers.advanceMs(10);
    }
    peers.advanceMs(200);
    assertThat(peers.atListening).isEqualTo(50);
    assertThat(peers.atDialling).isEqualTo(50);
  }

  @Test
  void theWatchdogFiresForThePathsWhoseProbesStopAndTheOthersCarry() {
    peers.begin(ONE, OTHER);
    peers.advanceMs(3_000);
    peers.send(true);
    peers.advanceMs(100);
    peers.on(() -> peers.dialling.linkChanged(ONE, null, peers.nowNs));
    peers.advanceMs(1_900);
    assertThat(peers.stopped).as("within the time").isEmpty();
    peers.advanceMs(700);
    assertThat(peers.stopped).containsExactlyInAnyOrder(0, 2);
    assertThat(peers.listening.watchdogs()).isEqualTo(2);
    assertThat(used(peers.status(peers.listening))).containsExactly(1, 3);
    assertThat(peers.status(peers.listening).getFirst().why())
        .startsWith("no probe has come by it");
    int before = peers.atDialling;
    for (int i = 0; i < 20; i++) {
      peers.send(false);
      peers.advanceMs(10);
    }
    peers.advanceMs(100);
    assertThat(peers.atDialling - before).isEqualTo(20);
    peers.on(() -> peers.dialling.linkChanged(null, ONE, peers.nowNs));
    peers.advanceMs(3_000);
    assertThat(used(peers.status(peers.listening))).as("its probes come again").hasSize(4);
  }

  @Test
  void anEndWhoseProbesAllStopIsKnownToBeDeadAndStillSentTo() {
    peers.begin(ONE);
    peers.advanceMs(2_000);
    peers.advanceMs(2_600, false);
    assertThat(peers.stopped).containsExactlyInAnyOrder(0, 1);
    assertThat(peers.listening.isDead()).isTrue();
    peers.send(false);
    peers.advanceMs(100, false);
    assertThat(peers.atDialling).as("no path is better, so all are used").isEqualTo(1);
    peers.advanceMs(2_000);
    assertThat(peers.listening.isDead()).isFalse();
    assertThat(used(peers.status(peers.listening))).hasSize(2);
  }
}
