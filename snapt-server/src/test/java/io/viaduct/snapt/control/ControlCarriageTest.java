package io.viaduct.snapt.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.viaduct.snapt.PacketText;
import io.viaduct.snapt.TestControl;
import io.viaduct.snapt.TestOperator;
import io.viaduct.snapt.TestSnapt;
import io.viaduct.snapt.TestTunnel;
import io.viaduct.tunnel.control.v1.Welcome;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.wire.Verdict;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests datagrams in the control connection over real TLS, both allowed and forbidden ones.
class ControlCarriageTest {
  private static final int PACKETS = 2_000;

  @TempDir Path folder;
  private TestOperator operator;
  private TestSnapt snapt;
  private TestControl control;
  private TestTunnel tunnel;
  private DatagramSocket hole;
  private final KeyPair device = io.viaduct.service.tls.Ed25519.generate();

  @BeforeEach
  void noDatagramComesThroughByUdp() throws Exception {
    operator = new TestOperator(folder.resolve("pki"));
    snapt = new TestSnapt(operator, folder, 2, Duration.ofSeconds(30));
    control = new TestControl(snapt.controlAddress, operator.trust());
    Welcome welcome = welcome(control, "alice", device);
    InetSocketAddress here = new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0);
    hole = new DatagramSocket(here);
    tunnel =
        new TestTunnel(
            welcome, new InetSocketAddress(here.getAddress(), hole.getLocalPort()), here);
  }

  private Welcome welcome(TestControl by, String account, KeyPair key) throws Exception {
    by.send(by.hello(operator.sign(TestOperator.token(account, key).build()), key).build());
    return by.next().getWelcome();
  }

  @AfterEach
  void stop() {
    hole.close();
    tunnel.close();
    control.close();
    snapt.close();
  }

  private static byte[] up() {
    return PacketText.packet("10.64.0.2", "203.0.113.7", 17, udp(5000, 9000));
  }

  private byte[] down() throws Exception {
    String to = TestSnapt.POOL.ipv4().address(snapt.onlySession().slot());
    return PacketText.packet("203.0.113.7", to, 17, udp(9000, 5000));
  }

  private static byte[] udp(int from, int to) {
    byte[] bytes = new byte[1008];
    java.nio.ByteBuffer.wrap(bytes)
        .putShort((short) from)
        .putShort((short) to)
        .putShort((short) 1008);
    return bytes;
  }

  @Test
  void packetsGoBothWaysAndTheOperatorSeesBy() throws Exception {
    tunnel.carryBy(control);
    tunnel.send(up());
    assertThat(snapt.nextOut()).isNotNull();
    snapt.inject(1, down());
    assertThat(tunnel.arrived.poll(5, TimeUnit.SECONDS)).isNotNull();
    assertThat(snapt.onlySession().carrier()).isEqualTo("control");
    assertThat(snapt.onlySession().binding()).as("never heard by UDP").isEmpty();
    assertThat(snapt.count(loop -> loop.of(Carrier.CONTROL))).isEqualTo(1);
    tunnel.detour(snapt.dataAddress);
    tunnel.carryByUdp();
    await().until(() -> snapt.onlySession().carrier().equals("udp"));
    snapt.inject(0, down());
    assertThat(tunnel.arrived.poll(5, TimeUnit.SECONDS)).isNotNull();
    assertThat(snapt.count(loop -> loop.of(Carrier.UDP))).isEqualTo(1);
  }

  @Test
  void whatIsSentFasterThanTheConnectionTakesComesInOrderAndWhole() throws Exception {
    tunnel.carryBy(control);
    for (int i = 0; i < PACKETS; i++) {
      tunnel.send(up());
    }
    for (int i = 0; i < PACKETS; i++) {
      assertThat(snapt.nextOut()).as("packet %d", i).isNotNull();
    }
    assertThat(snapt.onlySession().refused()).isEmpty();
  }

  @Test
  void aConnectionCarriesTheDatagramsOfItsOwnSessionOnly() throws Exception {
    tunnel.send(up());
    await().until(() -> !tunnel.sent.isEmpty());
    List<byte[]> stolen = new ArrayList<>(tunnel.sent);
    try (TestControl other = new TestControl(snapt.controlAddress, operator.trust())) {
      welcome(other, "bob", io.viaduct.service.tls.Ed25519.generate());
      for (byte[] datagram : stolen) {
        other.sendBytes(frame(datagram));
      }
      await().until(() -> snapt.count(Verdict.UNKNOWN_RECEIVER) == stolen.size());
    }
    assertThat(snapt.out).isEmpty();
  }

  private static byte[] frame(byte[] datagram) {
    byte[] bytes = new byte[4 + datagram.length];
    Unpooled.wrappedBuffer(bytes).setByte(0, 1).setMedium(1, datagram.length).setBytes(4, datagram);
    return bytes;
  }

  @Test
  void aConnectionWithoutSessionThatBringsDatagramsIsClosed() throws Exception {
    try (TestControl stranger = new TestControl(snapt.controlAddress, operator.trust())) {
      stranger.sendBytes(frame(new byte[100]));
      assertThat(stranger.isClosedWithin(5)).isTrue();
    }
  }

  @Test
  void theSessionGoesBackToUdpWhenItsConnectionEnds() throws Exception {
    tunnel.carryBy(control);
    await().until(() -> snapt.onlySession().carrier().equals("control"));
    control.close();
    await().until(() -> snapt.onlySession().carrier().equals("udp"));
  }
}
