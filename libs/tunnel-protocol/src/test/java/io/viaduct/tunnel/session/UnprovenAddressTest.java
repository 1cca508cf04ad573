package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.terms.OuterHeader;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.wire.DatagramHeader;
import io.viaduct.tunnel.wire.ServiceClass;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// An address that has not answered its challenge gets no more bytes from a SNAPT than have come
/// from there (docs/protocol.md section 4.1). One-way delay: 10 ms.
class UnprovenAddressTest {
  private static final long SEED = 7;
  private static final PacketForge.Endpoints FLOW = PacketForge.Endpoints.ipv4(5_000, 7, 53);
  private static final InetSocketAddress NEW = new InetSocketAddress("203.0.113.9", 41_000);

  private PathsRig rig = new PathsRig(8, 10);

  @AfterEach
  void close() {
    rig.close();
  }

  private void open(Set<Feature> features, int paths, long... delaysMs) {
    rig.close();
    rig = new PathsRig(features, paths, delaysMs);
    rig.serviceClass = ServiceClass.LT_LD;
    rig.openAll();
    talk(20);
  }

  private void talk(int packets) {
    for (int i = 0; i < packets; i++) {
      rig.send(rig.agent, PacketForge.udp(FLOW, new byte[] {1}));
      rig.send(rig.snapt, PacketForge.udp(FLOW.reversed(), new byte[900]));
      rig.advanceMs(20);
    }
  }

  private static int outerBytes(byte[] datagram, InetSocketAddress of) {
    return datagram.length + OuterHeader.of(of).bytes();
  }

  /// Sends a datagram of the device that an attacker takes, and returns the shortest one.
  private byte[] taken(boolean isProbe) {
    PathsRig.Link link = rig.links.getFirst();
    rig.captured.clear();
    link.losesUp = true;
    if (isProbe) {
      rig.agent.probe(0, Carrier.UDP, rig.nowNs);
      rig.drain();
    } else {
      rig.send(rig.agent, PacketForge.udp(FLOW, new byte[] {1}));
      rig.advanceMs(20);
    }
    link.losesUp = false;
    return rig.captured.stream()
        .filter(each -> isProbe == ((each[0] >>> 4 & 3) == DatagramHeader.TYPE_PATH))
        .min((one, two) -> one.length - two.length)
        .orElseThrow();
  }

  @ParameterizedTest
  @CsvSource({"true, 8, false", "true, 1, false", "false, 1, false", "true, 8, true"})
  void aFloodFromForgedAddressesGetsNoMoreBytesThanItSends(
      boolean isOfThisVersion, int paths, boolean isIpv6) {
    open(isOfThisVersion ? TunnelLimits.FEATURES : Set.of(), paths, 10);
    SplittableRandom random = new SplittableRandom(SEED);
    Map<InetSocketAddress, Integer> sent = new HashMap<>();
    String host = isIpv6 ? "2001:db8::%d" : "203.0.113.%d";
    int shortest = Integer.MAX_VALUE;
    for (int i = 0; i < 600; i++) {
      byte[] datagram = taken(random.nextInt(3) == 0);
      shortest = Math.min(shortest, datagram.length);
      var victim = new InetSocketAddress(host.formatted(1 + random.nextInt(6)), 666);
      sent.merge(victim, outerBytes(datagram, victim), Integer::sum);
      rig.receiveAtSnapt(datagram, victim);
      rig.send(rig.snapt, PacketForge.udp(FLOW.reversed(), new byte[random.nextInt(300)]));
      rig.advanceMs(random.nextInt(80));
      sent.forEach((address, bytes) ->
          assertThat(rig.bytesTo.getOrDefault(address, 0))
              .as("seed %d, to %s", SEED, address)
              .isLessThanOrEqualTo(bytes));
    }
    assertThat(shortest).as("shorter than a CHALLENGE").isLessThan(33);
    assertThat(sent.keySet()).as("each is challenged").allMatch(rig.bytesTo::containsKey);
    assertThat(rig.snapt.binding()).isEqualTo(rig.links.getFirst().address);
  }

  @Test
  void aMovedDeviceThatSendsOnlySmallDatagramsIsChallengedByTheSecondOne() {
    open(TunnelLimits.FEATURES, 8, 10);
    rig.links.getFirst().address = NEW;
    rig.send(rig.agent, PacketForge.udp(FLOW, new byte[] {1}));
    rig.advanceMs(40);
    assertThat(rig.snapt.binding()).as("29 bytes pay no CHALLENGE of 33").isNotEqualTo(NEW);
    rig.send(rig.agent, PacketForge.udp(FLOW, new byte[] {1}));
    rig.advanceMs(20 + 10 + 10 + 10); // with the longest wait of the class
    assertThat(rig.snapt.binding()).isEqualTo(NEW);
  }

  @Test
  void aDeviceThatKnowsItsNewAddressIsBoundAndAnsweredAsFastAsTheLineIs() {
    open(TunnelLimits.FEATURES, 8, 10);
    rig.links.getFirst().address = NEW;
    rig.agent.pathChanged(0);
    rig.agent.probe(0, Carrier.UDP, rig.nowNs);
    rig.drain();
    int before = rig.links.getFirst().sentDown;
    rig.advanceMs(10);
    assertThat(rig.links.getFirst().sentDown)
        .as("CHALLENGE, PROBE_REPLY and MTU_ACK")
        .isEqualTo(before + 3);
    rig.advanceMs(20);
    assertThat(rig.snapt.binding()).isEqualTo(NEW);
    assertThat(roundTripUs()).isEqualTo(20_000.0);
  }

  private double roundTripUs() {
    return rig.agent.paths(rig.nowNs).getFirst().roundTripUs();
  }

  @ParameterizedTest
  @CsvSource({"true", "false"})
  void aDeviceOfTheVersionBeforeGetsItsAnswerWithTheProofOfItsAddress(boolean isOfThisVersion) {
    open(isOfThisVersion ? TunnelLimits.FEATURES : Set.of(), isOfThisVersion ? 8 : 1, 10);
    PathsRig.Link link = rig.links.getFirst();
    link.address = NEW;
    link.longestUp = 200; // it sends no padded message behind its PROBE
    rig.agent.pathChanged(0);
    rig.agent.probe(0, Carrier.UDP, rig.nowNs);
    rig.drain();
    rig.advanceMs(39);
    assertThat(roundTripUs()).isNaN();
    rig.advanceMs(1);
    assertThat(rig.snapt.binding()).isEqualTo(NEW);
    assertThat(roundTripUs()).as("without the wait in the SNAPT").isEqualTo(20_000.0);
  }

  @Test
  void aDeviceThatSendsSuperpacketsOnlyIsChallengedAtItsNewAddress() {
    open(TunnelLimits.FEATURES, 8, 10);
    rig.serviceClass = ServiceClass.HT_HD;
    PacketForge.Endpoints bulk = PacketForge.Endpoints.ipv4(6_000, 7, 443);
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < 30; i++) {
      if (i == 25) {
        rig.links.getFirst().address = NEW;
        rig.captured.clear();
      }
      byte[] payload = new byte[12_000];
      random.nextBytes(payload);
      byte[] packet = PacketForge.tcp(bulk, i * 12_000, PacketForge.ACK, payload);
      rig.sendSuperpacket(rig.agent, PacketForge.checksum(packet, 1), 1_200);
      rig.advanceMs(20);
    }
    assertThat(List.copyOf(rig.captured))
        .anyMatch(each -> (each[0] >>> 4 & 3) == DatagramHeader.TYPE_FRAGMENT);
    assertThat(rig.snapt.binding()).isEqualTo(NEW);
  }
}
