package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.dictionary.HistoryEvent;
import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.wire.Verdict;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HistoryAgreementTest {
  private static final byte[] TEXT = SavingsCheck.English.text(200_000, 9);

  @Test
  void bothEndsAgreeOnTheSmallerPowerOfTwoOrOnNothing() {
    assertThat(agreed(65_536, 0)).isZero();
    assertThat(agreed(65_536, -1)).isZero();
    assertThat(agreed(65_536, 16_383)).isZero();
    assertThat(agreed(65_536, 40_000)).isEqualTo(32_768);
    assertThat(agreed(65_536, Integer.MAX_VALUE)).isEqualTo(65_536);
    assertThat(agreed(0, 65_536)).isZero();
    assertThat(agreed(16_384, 65_536)).isEqualTo(16_384);
    assertThat(agreed(1_048_576, 1_048_576)).isEqualTo(1_048_576);
  }

  private static int agreed(int own, int peers) {
    return new TunnelLimits(1500, own).agreed(1500, peers, 1, Set.of()).historyBytes();
  }

  /// Sends text of one flow up. @return bytes on the wire
  private static long carry(LoopbackRig rig) {
    long bytes = 0;
    for (int at = 0; at + 1_000 <= TEXT.length; at += 1_000) {
      byte[] payload = Arrays.copyOfRange(TEXT, at, at + 1_000);
      rig.offer(rig.agent, PacketForge.udp(Endpoints.ipv4(9, 1, 9), payload));
      rig.send(rig.agent);
      bytes += rig.up.stream().mapToInt(d -> d.length).sum();
      rig.deliver();
      rig.advance(12_000_000);
    }
    rig.advance(100_000_000); // delivers the packets that wait for others
    return bytes;
  }

  @Test
  void anOlderPeerGetsNeitherHistoriesNorZstd() {
    try (LoopbackRig old = new LoopbackRig(TestSettings.ofHistory(0));
        LoopbackRig young = new LoopbackRig()) {
      long without = carry(old);
      long with = carry(young);
      assertThat(old.memory.history().heldBytes() + old.snaptMemory.history().heldBytes()).isZero();
      assertThat(Arrays.stream(old.memory.history().events()).sum()).isZero();
      assertThat(LoopbackRig.count(old.snapt, Verdict.MALFORMED)).isZero();
      assertThat(old.atSnapt).hasSameSizeAs(young.atSnapt);
      assertThat(with).isLessThan(without * 3 / 4);
    }
  }

  @Test
  void idleHistoriesAreForgottenWithoutLoss() {
    try (LoopbackRig rig = new LoopbackRig()) {
      carry(rig);
      assertThat(rig.memory.history().heldBytes()).isPositive();
      assertThat(rig.snaptMemory.history().heldBytes()).isPositive();
      rig.advance(90_000_000_000L);
      assertThat(rig.memory.history().heldBytes()).isZero();
      assertThat(rig.snaptMemory.history().heldBytes()).isZero();
      int before = rig.atSnapt.size();
      carry(rig);
      assertThat(rig.atSnapt.size() - before).isEqualTo(200);
      assertThat(LoopbackRig.count(rig.snapt, Verdict.UNKNOWN_EPOCH)).isZero();
    }
  }

  @Test
  void aReceiverThatLostAnEpochSaysSoAndTheSenderContinuesWithoutIt() {
    try (LoopbackRig rig = new LoopbackRig()) {
      carry(rig);
      rig.snaptMemory.history().expire(Long.MAX_VALUE);
      int before = rig.atSnapt.size();
      carry(rig);
      long lost = LoopbackRig.count(rig.snapt, Verdict.UNKNOWN_EPOCH);
      assertThat(lost).isBetween(1L, 3L);
      assertThat(rig.atSnapt.size() - before).isGreaterThan(190);
      assertThat(rig.memory.history().events()[HistoryEvent.EPOCH_LOST_AT_PEER.ordinal()])
          .isEqualTo(1);
    }
  }
}
