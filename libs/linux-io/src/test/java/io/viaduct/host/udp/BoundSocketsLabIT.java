package io.viaduct.host.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.viaduct.host.linux.Errno;
import io.viaduct.host.linux.Loops;
import io.viaduct.host.linux.Namespace;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Checks the kernel's behaviour that docs/adr/0029 relies on, with two links between two
/// namespaces:
///
///     near  a0 10.92.0.1 fd92::1 ── a1 10.92.0.2 fd92::2  far   198.51.100.7, 2001:db8::7
///           b0 10.93.0.1 fd93::1 ── b1 10.93.0.2 fd93::2
///
/// The main table of `near` has a default route by each link, and prefers a0.
@Timeout(60)
class BoundSocketsLabIT {
  private static final String FAR_IPV4 = "198.51.100.7";
  private static final String FAR_IPV6 = "2001:db8::7";

  private final Loops loops = new Loops(1);
  private final UdpSocketsTest.Inbox arrived = new UdpSocketsTest.Inbox();
  private final UdpSocketsTest.Inbox answered = new UdpSocketsTest.Inbox();
  private final ByteBuf one = Unpooled.directBuffer().writeZero(10);
  private Namespace near;
  private Namespace far;
  private UdpSockets receiver;

  @BeforeEach
  void layTwoLinks() throws Exception {
    near = Namespace.create();
    far = Namespace.create();
    String task = far.run(() -> Files.readSymbolicLink(Path.of("/proc/thread-self")).toString());
    String thread = task.substring(task.lastIndexOf('/') + 1);
    link("a", "10.92.0", "fd92:", thread, 10);
    link("b", "10.93.0", "fd93:", thread, 20);
    far.command("ip address add " + FAR_IPV4 + "/32 dev lo");
    far.command("ip address add " + FAR_IPV6 + "/128 dev lo nodad");
    receiver =
        far.run(() ->
            UdpSockets.bind(
                List.of(loops.first()),
                UdpSettings.at(new InetSocketAddress("0.0.0.0", 0)),
                _ -> arrived));
  }

  private void link(String name, String ipv4, String ipv6, String farThread, int metric)
      throws Exception {
    near.command("ip link add %s0 type veth peer name %s1".formatted(name, name));
    near.command("ip link set %s1 netns %s".formatted(name, farThread));
    near.command("ip address add %s.1/24 dev %s0".formatted(ipv4, name));
    near.command("ip address add %s:1/64 dev %s0 nodad".formatted(ipv6, name));
    far.command("ip address add %s.2/24 dev %s1".formatted(ipv4, name));
    far.command("ip address add %s:2/64 dev %s1 nodad".formatted(ipv6, name));
    near.command("ip link set %s0 up".formatted(name));
    far.command("ip link set %s1 up".formatted(name));
    near.command("ip route add default via %s.2 dev %s0 metric %d".formatted(ipv4, name, metric));
    near.command(
        "ip -6 route add default via %s:2 dev %s0 metric %d".formatted(ipv6, name, metric));
  }

  @AfterEach
  void close() {
    if (receiver != null) {
      receiver.close();
    }
    near.close();
    far.close();
    loops.close();
    one.release();
  }

  private UdpSockets on(String device) throws Exception {
    UdpSettings any = UdpSettings.at(new InetSocketAddress("0.0.0.0", 0));
    UdpSettings settings = device.isEmpty() ? any : any.onDevice(device);
    return near.run(() -> UdpSockets.bind(List.of(loops.first()), settings, _ -> answered));
  }

  private SendResult send(UdpSockets from, String to) throws Exception {
    one.readerIndex(0);
    return UdpSocketsTest.send(
        loops, from, one, 10, new InetSocketAddress(to, receiver.address().getPort()));
  }

  /// Sends one datagram, and returns the source address that it had at the far end.
  private InetSocketAddress sourceOf(UdpSockets from, String to) throws Exception {
    arrived.peers.clear();
    assertThat(send(from, to)).isEqualTo(SendResult.SENT);
    await().until(() -> !arrived.peers.isEmpty());
    return arrived.peers.remove();
  }

  @Test
  void twoSocketsLeaveByTwoLinksAlthoughTheMainTablePrefersOne() throws Exception {
    try (UdpSockets plain = on("");
        UdpSockets a = on("a0");
        UdpSockets b = on("b0")) {
      for (var each : List.of(plain, a)) {
        assertThat(sourceOf(each, FAR_IPV4).getAddress()).isEqualTo(address("10.92.0.1"));
        assertThat(sourceOf(each, FAR_IPV6).getAddress()).isEqualTo(address("fd92::1"));
      }
      assertThat(sourceOf(b, FAR_IPV4).getAddress()).isEqualTo(address("10.93.0.1"));
      assertThat(sourceOf(b, FAR_IPV6).getAddress()).isEqualTo(address("fd93::1"));
    }
  }

  private static InetAddress address(String literal) {
    return InetAddress.ofLiteral(literal);
  }

  @Test
  void onIpv4ABoundSocketWithoutItsOwnDefaultRouteAsksForTheFarHostOnTheLink() throws Exception {
    near.command("ip route del default dev b0");
    try (UdpSockets b = on("b0")) {
      assertThat(send(b, FAR_IPV4)).as("the kernel takes it").isEqualTo(SendResult.SENT);
      await()
          .untilAsserted(
              () -> assertThat(near.command("ip neighbour show dev b0")).contains(FAR_IPV4));
      near.command("ip route add default via 10.93.0.2 dev b0 metric 20");
      assertThat(sourceOf(b, FAR_IPV4).getAddress()).isEqualTo(address("10.93.0.1"));
    }
  }

  @Test
  void onIpv6ABoundSocketWithoutItsOwnDefaultRouteIsRefused() throws Exception {
    near.command("ip -6 route del default dev b0");
    try (UdpSockets b = on("b0")) {
      assertThat(send(b, FAR_IPV6)).isEqualTo(SendResult.REFUSED);
      assertThat(b.sockets().getFirst().refusals().of(Errno.ENETUNREACH)).isEqualTo(1);
    }
  }

  @Test
  void aStrictFilterDropsAnswersOnTheLinkThatTheMainTableDoesNotPrefer() throws Exception {
    far.command("ip route add 10.93.0.1/32 dev b1 src " + FAR_IPV4);
    try (UdpSockets b = on("b0")) {
      filter(2);
      answer(sourceOf(b, FAR_IPV4));
      await().until(() -> answered.peers.size() == 1);
      filter(1);
      InetSocketAddress source = sourceOf(b, FAR_IPV4);
      answer(source);
      await()
          .during(Duration.ofMillis(300))
          .untilAsserted(() -> assertThat(answered.peers).hasSize(1));
      filter(0);
      answer(source);
      await().until(() -> answered.peers.size() == 2);
    }
  }

  // The kernel applies the larger value of the interface and of `all`.
  private void filter(int mode) throws Exception {
    near.command("sysctl -q -w net.ipv4.conf.all.rp_filter=" + mode);
    near.command("sysctl -q -w net.ipv4.conf.b0.rp_filter=" + mode);
  }

  private void answer(InetSocketAddress to) throws Exception {
    one.readerIndex(0);
    assertThat(UdpSocketsTest.send(loops, receiver, one, 10, to)).isEqualTo(SendResult.SENT);
  }

  @Test
  void aBoundSocketTakesNoDatagramOfAnotherLink() throws Exception {
    try (UdpSockets b = on("b0")) {
      int port = b.address().getPort();
      answer(new InetSocketAddress("10.93.0.1", port));
      await().until(() -> answered.peers.size() == 1);
      answer(new InetSocketAddress("10.92.0.1", port));
      await()
          .during(Duration.ofMillis(200))
          .untilAsserted(() -> assertThat(answered.peers).hasSize(1));
    }
  }

  @Test
  void aDatagramThatWasMadeForAWiderLinkLeavesInFragmentsOnRequestOnly() throws Exception {
    near.command("ip link set b0 mtu 1300");
    ByteBuf two = Unpooled.directBuffer().writeZero(1472 + 100);
    try (UdpSockets b = on("b0")) {
      for (String to : List.of(FAR_IPV4, FAR_IPV6)) {
        var peer = new InetSocketAddress(to, receiver.address().getPort());
        two.readerIndex(0);
        assertThat(UdpSocketsTest.send(loops, b, two, 1472, peer)).isEqualTo(SendResult.TOO_LONG);
        two.readerIndex(0);
        arrived.peers.clear();
        SendResult fragmented =
            loops
                .first()
                .submit(() -> b.sockets().getFirst().sendFragmented(two, 1472, peer))
                .syncUninterruptibly()
                .getNow();
        assertThat(fragmented).isEqualTo(SendResult.SENT);
        await().until(() -> arrived.peers.size() == 2);
        two.readerIndex(0);
        assertThat(UdpSocketsTest.send(loops, b, two, 1472, peer))
            .as("probing again")
            .isEqualTo(SendResult.TOO_LONG);
      }
    }
    two.release();
  }

  @Test
  void anInterfaceThatDoesNotExistIsNamed() {
    assertThatThrownBy(() -> on("none0"))
        .isInstanceOf(SocketException.class)
        .hasMessage(
            "a UDP socket cannot be bound to interface none0 (ENODEV (19)): there is no such"
                + " interface: ip link");
    assertThatThrownBy(() -> on("a/b")).hasMessageContaining("1 to 15 characters");
  }

  @Test
  void aLinkThatIsMadeAnewNeedsANewSocket() throws Exception {
    try (UdpSockets b = on("b0")) {
      near.command("ip link del b0");
      assertThat(send(b, FAR_IPV4)).isNotEqualTo(SendResult.SENT);
    }
  }
}
