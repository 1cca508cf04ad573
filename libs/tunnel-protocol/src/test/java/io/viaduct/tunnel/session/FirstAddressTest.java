package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.terms.OuterHeader;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.wire.DatagramHeader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The first address of a session (docs/protocol.md section 4.1): the SNAPT knows that of the
/// control connection. One-way delay: 10 ms; with several paths and with one.
class FirstAddressTest {
  private static final PacketForge.Endpoints FLOW = PacketForge.Endpoints.ipv4(5_000, 7, 53);
  private static final InetSocketAddress STRANGER = new InetSocketAddress("203.0.113.66", 6_666);
  private static final InetAddress ELSEWHERE = InetAddress.ofLiteral("192.0.2.200");

  private PathsRig rig;

  @AfterEach
  void close() {
    rig.close();
  }

  private void begin(int paths, InetAddress control) {
    rig = new PathsRig(TunnelLimits.FEATURES, paths, 10);
    rig.snapt.bindAtOnceOnly(control);
    rig.agent.outer(0, OuterHeader.of(link().address), rig.nowNs);
    rig.agent.use(0, PathUse.YES, rig.nowNs);
  }

  private PathsRig.Link link() {
    return rig.links.getFirst();
  }

  private void probe() {
    rig.agent.probe(0, Carrier.UDP, rig.nowNs);
    rig.drain();
  }

  private void down() {
    rig.send(rig.snapt, PacketForge.udp(FLOW.reversed(), new byte[900]));
  }

  private static boolean carriesData(byte[] datagram) {
    return (datagram[0] >>> 4 & 3) != DatagramHeader.TYPE_PATH;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 8})
  void whoeverForwardsTheFirstProbesGetsNoMoreBytesThanHeSendsAndNoPacket(int paths) {
    begin(paths, link0());
    link().losesUp = true;
    probe();
    List<byte[]> taken = List.copyOf(rig.captured);
    int bytes = 0;
    for (byte[] datagram : taken) {
      bytes += datagram.length + OuterHeader.of(STRANGER).bytes();
      rig.receiveAtSnapt(datagram, STRANGER);
      rig.drain();
    }
    for (int i = 0; i < 20; i++) {
      down();
      rig.advanceMs(20);
    }
    assertThat(rig.bytesTo.getOrDefault(STRANGER, 0)).isPositive().isLessThanOrEqualTo(bytes);
    assertThat(rig.elsewhere).noneMatch(FirstAddressTest::carriesData);
    assertThat(rig.snapt.bindingOf(0)).isNull();
    link().losesUp = false;
    probe();
    rig.advanceMs(10);
    assertThat(rig.snapt.bindingOf(0)).isEqualTo(link().address);
    down();
    rig.advanceMs(100);
    assertThat(rig.atAgent).isNotEmpty();
    assertThat(rig.elsewhere).noneMatch(FirstAddressTest::carriesData);
  }

  private static InetAddress link0() {
    return InetAddress.ofLiteral("198.51.100.1"); // as PathsRig numbers its links
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 8})
  void theHostOfTheControlConnectionIsBoundByItsFirstDatagram(int paths) {
    begin(paths, link0());
    probe();
    rig.advanceMs(10);
    assertThat(rig.snapt.bindingOf(0)).isEqualTo(link().address);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 8})
  void anotherHostIsAnsweredAtOnceAndBoundARoundTripLater(int paths) {
    begin(paths, ELSEWHERE);
    probe();
    rig.advanceMs(10);
    assertThat(rig.snapt.bindingOf(0)).isNull();
    down();
    rig.advanceMs(10);
    assertThat(rig.agent.paths(rig.nowNs).getFirst().roundTripUs()).isEqualTo(20_000.0);
    rig.advanceMs(10);
    assertThat(rig.snapt.bindingOf(0)).isEqualTo(link().address);
    rig.advanceMs(30);
    assertThat(rig.atAgent).as("what waited").hasSize(1);
  }
}
