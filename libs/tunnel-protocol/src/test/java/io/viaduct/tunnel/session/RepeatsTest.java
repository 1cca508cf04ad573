package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Bursts that a lost path may have lost leave again by another one (docs/adr/0040).
class RepeatsTest {
  private static final PacketForge.Endpoints FLOW = PacketForge.Endpoints.ipv4(5_000, 7, 53);
  private static final long SEED = 1;
  private PathsRig rig = PathsRig.opened(ServiceClass.LT_LD, Set.of(), SEED);
  private int number;

  @AfterEach
  void close() {
    rig.close();
  }

  /// Sends packets at both ends, one per millisecond.
  private void talk(int packets) {
    talk(packets, () -> new byte[100]);
  }

  private void talk(int packets, Supplier<byte[]> payloads) {
    for (int i = 0; i < packets; i++) {
      byte[] payload = payloads.get();
      BigEndian.putInt(payload, 0, number++);
      rig.send(rig.agent, PacketForge.udp(FLOW, payload));
      rig.send(rig.snapt, PacketForge.udp(FLOW.reversed(), payload));
      rig.advanceMs(1);
    }
  }

  private static List<Integer> numbers(List<byte[]> packets) {
    return packets.stream()
        .map(each -> BigEndian.getInt(each, PacketForge.payloadAt(each)))
        .toList();
  }

  /// Lets the first link lose everything for some time before the device leaves it.
  private void loseFirstLink(int noticedAfterMs) {
    PathsRig.Link first = rig.links.getFirst();
    first.losesUp = true;
    first.losesDown = true;
    talk(noticedAfterMs);
    rig.use(0, PathUse.NO);
  }

  @Test
  void aLinkThatIsLostTakesNoPacketOfALowDelayClassWithIt() {
    talk(500);
    loseFirstLink(200);
    talk(500);
    rig.advanceMs(1_000);
    List<Integer> all = IntStream.range(0, number).boxed().toList();
    assertThat(numbers(rig.atSnapt)).containsExactlyInAnyOrderElementsOf(all);
    assertThat(numbers(rig.atAgent)).containsExactlyInAnyOrderElementsOf(all);
  }

  @Test
  void aLinkThatBeginsToLoseTakesNoPacketOfALowDelayClassWithIt() {
    SplittableRandom random = new SplittableRandom(SEED);
    Supplier<byte[]> payloads =
        () -> {
          byte[] payload = new byte[100];
          random.nextBytes(payload);
          return payload;
        };
    talk(2_000, payloads);
    rig.links.getFirst().lossRatio = 0.2;
    for (int i = 0; i < 80; i++) {
      rig.probeAll();
      talk(100, payloads);
    }
    rig.advanceMs(1_000);
    List<Integer> all = IntStream.range(0, number).boxed().toList();
    assertThat(numbers(rig.atSnapt)).containsExactlyInAnyOrderElementsOf(all);
    assertThat(numbers(rig.atAgent)).containsExactlyInAnyOrderElementsOf(all);
  }

  @Test
  void whatIsRepeatedLeavesBeforeNewPackets() {
    talk(500);
    loseFirstLink(50);
    talk(100);
    rig.advanceMs(1_000);
    assertThat(numbers(rig.atSnapt)).isSorted();
  }

  @Test
  void whatHadArrivedIsACopyAndNoReplay() {
    talk(500);
    rig.use(0, PathUse.NO); // a link that goes down still delivers what is on its way
    talk(200);
    rig.advanceMs(1_000);
    assertThat(numbers(rig.atSnapt)).hasSize(number).doesNotHaveDuplicates();
    assertThat(numbers(rig.atAgent)).hasSize(number).doesNotHaveDuplicates();
    assertThat(rig.snapt.verdicts().of(Verdict.COPY)).isBetween(1L, 100L);
    assertThat(rig.agent.verdicts().of(Verdict.COPY)).isBetween(1L, 150L);
    assertThat(rig.snapt.verdicts().of(Verdict.REPLAYED)).isZero();
    assertThat(rig.agent.verdicts().of(Verdict.REPLAYED)).isZero();
  }

  @Test
  void aPathWithANewAddressRepeatsWhatWentToTheOldOne() {
    talk(500);
    PathsRig.Link first = rig.links.getFirst();
    first.address = new InetSocketAddress("203.0.113.9", 41_000); // another binding of a NAT
    rig.agent.probe(0, Carrier.UDP, rig.nowNs);
    talk(300);
    rig.advanceMs(1_000);
    assertThat(numbers(rig.atAgent)).hasSize(number).doesNotHaveDuplicates();
  }

  @Test
  void whatIsOlderThanASecondIsNotRepeated() {
    talk(500);
    loseFirstLink(1_400);
    talk(10);
    rig.advanceMs(1_000);
    assertThat(number - rig.atSnapt.size()).isBetween(350, 450);
  }

  @Test
  void flowsThatRepeatThemselvesAreNotKept() {
    rig.close();
    rig = PathsRig.opened(ServiceClass.HT_HD, Set.of(Feature.PATH_TRIALS), SEED);
    talk(500);
    loseFirstLink(200);
    talk(100);
    rig.advanceMs(1_000);
    assertThat(rig.snapt.verdicts().of(Verdict.COPY)).isZero();
    assertThat(rig.atSnapt).hasSizeLessThan(number - 150);
  }

  @Test
  void anEndOfTheVersionBeforeGetsNoRepeats() {
    rig.close();
    rig = PathsRig.opened(ServiceClass.LT_LD, TunnelLimits.FEATURES, SEED);
    talk(500);
    loseFirstLink(200);
    talk(100);
    rig.advanceMs(1_000);
    assertThat(rig.atSnapt).hasSizeLessThan(number - 150);
    assertThat(rig.snapt.verdicts().of(Verdict.REPLAYED)).isZero();
  }
}
