package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.terms.OuterHeader;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A device with one path of 20 ms round trip whose address changes (docs/protocol.md section 4.1).
class NewAddressTest {
  private static final PacketForge.Endpoints FLOW = PacketForge.Endpoints.ipv4(5_000, 7, 53);
  private static final InetSocketAddress NEW = new InetSocketAddress("203.0.113.9", 41_000);
  private static final int DELAY_MS = 10;

  private PathsRig rig = opened(ServiceClass.LT_LD, TunnelLimits.FEATURES);
  private final List<Integer> arrivals = new ArrayList<>(); // at the device, by millisecond
  private int number;

  private static PathsRig opened(
      ServiceClass of, Set<io.viaduct.tunnel.control.v1.Feature> features) {
    PathsRig made = new PathsRig(features, 8, DELAY_MS);
    made.serviceClass = of;
    made.openAll();
    return made;
  }

  @AfterEach
  void close() {
    rig.close();
  }

  /// Sends packets at both ends, one per millisecond.
  private void talk(int packets) {
    for (int i = 0; i < packets; i++) {
      byte[] payload = new byte[100];
      BigEndian.putInt(payload, 0, number++);
      rig.send(rig.agent, PacketForge.udp(FLOW, payload));
      rig.send(rig.snapt, PacketForge.udp(FLOW.reversed(), payload));
      int before = rig.atAgent.size();
      rig.advanceMs(1);
      arrivals.add(rig.atAgent.size() - before);
    }
  }

  private int longestSilenceMs() {
    int longest = 0;
    int now = 0;
    for (int each : arrivals) {
      now = each == 0 ? now + 1 : 0;
      longest = Math.max(longest, now);
    }
    return longest;
  }

  private static List<Integer> numbers(List<byte[]> packets) {
    return packets.stream()
        .map(each -> BigEndian.getInt(each, PacketForge.payloadAt(each)))
        .toList();
  }

  private void moves() {
    rig.links.getFirst().address = NEW;
  }

  @ParameterizedTest
  @EnumSource(names = {"LT_LD", "HT_LD"})
  void aNatThatMapsToAnotherAddressTakesNothingOfALowDelayClassWithIt(ServiceClass of) {
    rig.close();
    rig = opened(of, TunnelLimits.FEATURES);
    talk(500);
    int usual = longestSilenceMs(); // packets wait for others of their class
    arrivals.clear();
    moves();
    talk(500);
    rig.advanceMs(1_000);
    assertThat(numbers(rig.atAgent))
        .containsExactlyInAnyOrderElementsOf(IntStream.range(0, number).boxed().toList());
    assertThat(rig.moves).last().asString().endsWith(NEW.getHostString());
    // The first datagram from there pays the challenge, so the second one may have to pay a copy.
    assertThat(longestSilenceMs() - usual).isLessThanOrEqualTo(2 * DELAY_MS + usual);
  }

  @Test
  void theNewAddressHearsTheNextDatagramsBeforeItHasAnsweredTheChallenge() {
    talk(500);
    moves();
    talk(1);
    rig.atAgent.clear();
    talk(2 * DELAY_MS + 8); // a round trip, and what the first datagram needs in the SNAPT
    assertThat(rig.atAgent).isNotEmpty();
    assertThat(rig.snapt.binding()).isNotEqualTo(NEW);
  }

  @Test
  void anAddressThatIsAnnouncedGetsWhatItsCreditPaysAndTheRestWaits() {
    talk(500);
    moves();
    rig.agent.probe(0, Carrier.UDP, rig.nowNs);
    talk(500);
    rig.advanceMs(1_000);
    assertThat(numbers(rig.atAgent)).hasSize(number).doesNotHaveDuplicates();
  }

  @Test
  void whoeverForwardsDatagramsDivertsNothingAndCausesNoMoreCopiesThanHeHasSent() {
    talk(500);
    rig.advanceMs(200);
    PathsRig.Link link = rig.links.getFirst();
    int header = OuterHeader.of(link.address).bytes();
    rig.atAgent.clear();
    rig.elsewhere.clear();
    number = 0;
    int forwarded = 0;
    InetSocketAddress stranger = new InetSocketAddress("203.0.113.66", 6_666);
    for (int i = 0; i < 1_000; i++) {
      rig.captured.clear();
      link.losesUp = true; // the attacker takes each datagram, and sends it from elsewhere
      byte[] payload = new byte[20];
      BigEndian.putInt(payload, 0, number);
      rig.send(rig.agent, PacketForge.udp(FLOW, payload));
      for (byte[] datagram : List.copyOf(rig.captured)) {
        forwarded += datagram.length + header;
        rig.receiveAtSnapt(datagram, stranger);
      }
      payload = new byte[900];
      BigEndian.putInt(payload, 0, number++);
      rig.send(rig.snapt, PacketForge.udp(FLOW.reversed(), payload));
      rig.advanceMs(1);
    }
    rig.advanceMs(1_000);
    int received = rig.elsewhere.stream().mapToInt(each -> each.length + header).sum();
    assertThat(received).isPositive().isLessThanOrEqualTo(forwarded);
    assertThat(numbers(rig.atAgent)).hasSize(number).doesNotHaveDuplicates();
    assertThat(rig.snapt.binding()).isEqualTo(link.address);
  }

  @Test
  void aSinkThatIsFullAfterADatagramGetsNoCopyOfIt() {
    talk(500);
    moves();
    talk(2 * DELAY_MS); // the new address is challenged, and has credit
    for (int i = 0; i < 100; i++) {
      rig.roomOfSink = 1;
      rig.send(rig.snapt, PacketForge.udp(FLOW.reversed(), new byte[100]));
      rig.roomOfSink = Integer.MAX_VALUE;
      rig.advanceMs(1);
    }
  }

  @Test
  void theOnlyPathInUseMovesAsWellIfAnotherOneWasThereBefore() {
    rig.close();
    rig = PathsRig.opened(ServiceClass.LT_LD, Set.of(), 1);
    talk(200);
    rig.use(0, PathUse.NO);
    talk(300);
    rig.links.getLast().address = NEW;
    rig.links.getFirst().losesDown = true;
    talk(20);
    rig.agent.probe(1, Carrier.UDP, rig.nowNs);
    talk(500);
    rig.advanceMs(1_000);
    assertThat(numbers(rig.atAgent)).hasSize(number).doesNotHaveDuplicates();
    assertThat(rig.snapt.bindingOf(1)).isEqualTo(NEW);
  }

  @Test
  void whatGoesByTheControlConnectionDoesNotWaitForANewAddress() {
    rig.connect();
    talk(100);
    rig.links.getFirst().losesDown = true;
    rig.agent.carryBy(Carrier.CONTROL);
    talk(100);
    arrivals.clear();
    for (int i = 0; i < 10; i++) {
      rig.links.getFirst().address = new InetSocketAddress("203.0.113.9", 41_000 + i);
      rig.agent.probe(0, Carrier.UDP, rig.nowNs);
      talk(100);
    }
    assertThat(longestSilenceMs()).isLessThan(45); // packets wait for others of their class
  }

  @Test
  void aDeviceOfTheVersionBeforeGetsNothingBeforeItsAnswer() {
    rig.close();
    rig = opened(ServiceClass.LT_LD, Set.of());
    talk(500);
    moves();
    talk(200);
    rig.advanceMs(1_000);
    assertThat(rig.snapt.binding()).isEqualTo(NEW);
    assertThat(rig.agent.verdicts().of(Verdict.COPY)).isZero();
    assertThat(rig.atAgent).hasSizeLessThan(number - DELAY_MS);
  }
}
