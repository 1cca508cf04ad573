package io.viaduct.host.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.viaduct.host.linux.Errno;
import io.viaduct.host.linux.Loops;
import io.viaduct.host.linux.Namespace;
import io.viaduct.host.tun.TunDevice;
import io.viaduct.host.tun.TunOffloads;
import io.viaduct.host.tun.TunReader;
import io.viaduct.host.tun.TunSettings;
import io.viaduct.host.tun.VirtioNetHeader;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class UdpSocketsLabIT {
  private static UdpSockets bind(
      Namespace namespace, Loops loops, UdpSettings settings, DatagramReader reader)
      throws Exception {
    return namespace.run(() -> UdpSockets.bind(List.of(loops.first()), settings, _ -> reader));
  }

  private static UdpSettings at(String address) {
    return UdpSettings.at(new InetSocketAddress(address, 0));
  }

  @Test
  void aMarkedSocketFollowsTheRoutesOfItsMark() throws Exception {
    try (Namespace namespace = Namespace.create();
        Loops loops = new Loops(1)) {
      namespace.command("ip rule add fwmark 77 priority 10 unreachable");
      namespace.command("ip route add default dev lo");
      UdpSockets marked =
          bind(namespace, loops, at("0.0.0.0").marked(77), new UdpSocketsTest.Inbox());
      UdpSockets plain = bind(namespace, loops, at("0.0.0.0"), new UdpSocketsTest.Inbox());
      InetSocketAddress to = new InetSocketAddress("198.51.100.7", 9);
      ByteBuf one = Unpooled.directBuffer().writeZero(10);
      assertThat(UdpSocketsTest.send(loops, marked, one, 10, to)).isEqualTo(SendResult.REFUSED);
      assertThat(one.readableBytes()).isEqualTo(10);
      assertThat(UdpSocketsTest.send(loops, plain, one, 10, to)).isEqualTo(SendResult.SENT);
      assertThat(marked.sockets().getFirst().refusals().of(Errno.ENETUNREACH)).isEqualTo(1);
      one.release();
      marked.close();
      plain.close();
    }
  }

  @Test
  void aDatagramOverTheMtuIsReportedAndNeverFragmented() throws Exception {
    try (Namespace namespace = Namespace.create();
        Loops loops = new Loops(1)) {
      namespace.command("ip link set lo mtu 1280");
      UdpSocketsTest.Inbox inbox = new UdpSocketsTest.Inbox();
      UdpSockets to = bind(namespace, loops, at("127.0.0.1"), inbox);
      UdpSockets from = bind(namespace, loops, at("127.0.0.1"), new UdpSocketsTest.Inbox());
      ByteBuf burst = Unpooled.directBuffer().writeZero(5 * 1400);
      assertThat(UdpSocketsTest.send(loops, from, burst, 1400, to.address()))
          .isEqualTo(SendResult.TOO_LONG);
      assertThat(from.sockets().getFirst().hasSegmentationOffload())
          .as("other paths may be longer")
          .isTrue();
      ByteBuf fitting = Unpooled.directBuffer().writeZero(5 * 1252);
      assertThat(UdpSocketsTest.send(loops, from, fitting, 1252, to.address()))
          .isEqualTo(SendResult.SENT);
      await().until(() -> inbox.datagrams.size() == 5);
      to.close();
      from.close();
      burst.release();
      fitting.release();
    }
  }

  @Test
  void aFullBufferBlocksUntilTheInterfaceTakesMore() throws Exception {
    try (Namespace namespace = Namespace.create();
        Loops loops = new Loops(1)) {
      namespace.command("ip link add one type veth peer name two");
      namespace.command("ip address add 10.90.0.1/24 dev one");
      namespace.command("ip link set two up");
      namespace.command("ip link set one up");
      namespace.command("ip neighbour add 10.90.0.2 lladdr 02:00:00:00:00:02 dev one");
      namespace.command("tc qdisc add dev one root tbf rate 20mbit burst 10kb limit 10mb");
      UdpSocketsTest.Inbox inbox = new UdpSocketsTest.Inbox();
      UdpSockets from = bind(namespace, loops, at("0.0.0.0").buffered(1 << 16), inbox);
      InetSocketAddress to = new InetSocketAddress("10.90.0.2", 9);
      ByteBuf burst = Unpooled.directBuffer().writeZero(60_000);
      SendResult result = SendResult.SENT;
      int writableBefore = 0;
      for (int i = 0; i < 50 && result == SendResult.SENT; i++) {
        burst.readerIndex(0);
        writableBefore = inbox.writable.get();
        result = UdpSocketsTest.send(loops, from, burst, 1000, to);
      }
      assertThat(result).isEqualTo(SendResult.WOULD_BLOCK);
      assertThat(burst.isReadable()).isTrue();
      int before = writableBefore;
      await().until(() -> inbox.writable.get() == before + 1);
      assertThat(from.sockets().getFirst().isWritable()).isTrue();
      assertThat(from.sockets().getFirst().refusals().total()).isZero();
      from.close();
      burst.release();
    }
  }

  @Test
  void postedDatagramsOfAFullBufferWaitAndNoneIsLost() throws Exception {
    try (Namespace namespace = Namespace.create();
        Loops loops = new Loops(1)) {
      namespace.command("ip link add one type veth peer name two");
      namespace.command("ip address add 10.90.0.1/24 dev one");
      namespace.command("ip link set two up");
      namespace.command("ip link set one up");
      namespace.command("ip neighbour add 10.90.0.2 lladdr 02:00:00:00:00:02 dev one");
      namespace.command("tc qdisc add dev one root tbf rate 2mbit burst 10kb limit 10mb");
      AtomicInteger flushed = new AtomicInteger();
      UdpSocket[] self = new UdpSocket[1];
      UdpSocketsTest.Inbox inbox =
          new UdpSocketsTest.Inbox() {
            @Override
            public void writable() {
              flushed.addAndGet(self[0].flush());
              super.writable();
            }
          };
      UdpSockets from = bind(namespace, loops, at("0.0.0.0").buffered(1 << 16), inbox);
      UdpSocket socket = from.sockets().getFirst();
      self[0] = socket;
      InetSocketAddress to = new InetSocketAddress("10.90.0.2", 9);
      int posted =
          loops
              .first()
              .submit(() -> {
                int count = 0;
                while (socket.posted() == 0 && count < 10_000) {
                  ByteBuf one = Unpooled.directBuffer().writeZero(100 + count % 400);
                  while (!socket.post(one, to)) {
                    count++;
                  }
                  count++;
                  one.release();
                  assertThat(socket.flush()).isZero();
                }
                return count;
              })
              .get(5, TimeUnit.SECONDS);
      assertThat(socket.blocks()).isPositive();
      await().until(() -> socket.posted() == 0);
      assertThat(socket.datagramsSent()).isEqualTo(posted);
      assertThat(flushed).hasValue(0);
      assertThat(socket.refusals().total()).isZero();
      assertThat(socket.isWritable()).isTrue();
      from.close();
    }
  }

  @Test
  void aBurstThatIsRoutedIntoTunComesOutAsOneSuperpacket() throws Exception {
    try (Namespace namespace = Namespace.create();
        Loops loops = new Loops(1);
        TunDevice device = namespace.run(() -> TunDevice.open(new TunSettings("uso", 1)))) {
      namespace.command("ip address add 10.91.0.1/24 dev uso");
      namespace.command("ip link set uso up");
      assumeThat(device.offloads()).isEqualTo(TunOffloads.CHECKSUM_TCP_UDP);
      AtomicInteger superpackets = new AtomicInteger();
      VirtioNetHeader header = new VirtioNetHeader();
      ByteBuf read = Unpooled.directBuffer(VirtioNetHeader.LENGTH + TunDevice.PACKET_BYTES_MAX);
      TunReader reader =
          new TunReader() {
            @Override
            public void packet(ByteBuf buffer, int headerOffset, int packetLength) {
              header.wrap(buffer, headerOffset);
              if (header.gsoType() == VirtioNetHeader.GSO_UDP_L4
                  && header.gsoSize() == 1000
                  && packetLength == 28 + 20_500) {
                superpackets.incrementAndGet();
              }
            }

            @Override
            public void batchEnd() {}
          };
      device.queues().getFirst().start(loops.first(), read, 0, reader);
      UdpSockets from = bind(namespace, loops, at("0.0.0.0"), new UdpSocketsTest.Inbox());
      ByteBuf burst = Unpooled.directBuffer().writeZero(20_500);
      InetSocketAddress to = new InetSocketAddress("10.91.0.2", 9);
      assertThat(UdpSocketsTest.send(loops, from, burst, 1000, to)).isEqualTo(SendResult.SENT);
      await().until(() -> superpackets.get() == 1);
      from.close();
      device.close();
      burst.release();
      read.release();
    }
  }

  @Test
  void answersLeaveFromTheAddressThatWasAsked() throws Exception {
    try (Namespace namespace = Namespace.create();
        Loops loops = new Loops(1)) {
      for (int i = 1; i <= 3; i++) {
        namespace.command("ip address add 10.92.0." + i + "/32 dev lo");
        namespace.command("ip address add fd92::" + i + "/128 dev lo");
      }
      answersComeFrom(namespace, loops, "10.92.0.3", "10.92.0.1", "10.92.0.2", "127.0.0.1");
      answersComeFrom(namespace, loops, "fd92::3", "fd92::1", "fd92::2", "::1");
    }
  }

  @Test
  void answersOfAHostWithoutIpv6LeaveFromTheAddressThatWasAsked() throws Exception {
    try (Namespace namespace = Namespace.create();
        Loops loops = new Loops(1)) {
      namespace.command("sysctl -q -w net.ipv6.conf.all.disable_ipv6=1");
      namespace.command("ip address add 10.92.0.1/32 dev lo");
      namespace.command("ip address add 10.92.0.3/32 dev lo");
      answersComeFrom(namespace, loops, "10.92.0.3", "10.92.0.1", "127.0.0.1");
    }
  }

  /// Asks a wildcard socket at several addresses from one socket, and answers with one datagram, a
  /// burst, and posted datagrams, in both orders of the addresses.
  private static void answersComeFrom(
      Namespace namespace, Loops loops, String client, String... addresses) throws Exception {
    UdpSocketsTest.Inbox asked = new UdpSocketsTest.Inbox();
    UdpSocketsTest.Inbox answered = new UdpSocketsTest.Inbox();
    try (UdpSockets server = bind(namespace, loops, at("0.0.0.0").answeringFromArrival(), asked);
        UdpSockets from = bind(namespace, loops, at(client), answered)) {
      int port = server.address().getPort();
      List<String> order = new ArrayList<>(List.of(addresses));
      order.addAll(List.of(addresses).reversed());
      ByteBuf question = Unpooled.directBuffer().writeZero(10);
      ByteBuf burst = Unpooled.directBuffer().writeZero(2500);
      List<InetSocketAddress> peers = new ArrayList<>();
      for (String address : order) {
        InetSocketAddress to = new InetSocketAddress(address, port);
        UdpSocketsTest.send(loops, from, question.readerIndex(0), 10, to);
        await().until(() -> !asked.peers.isEmpty());
        peers.add(asked.peers.remove());
        assertThat(peers.getLast()).isEqualTo(from.address());
      }
      List<InetSocketAddress> expected = new ArrayList<>();
      for (int i = 0; i < order.size(); i++) {
        UdpSocketsTest.send(loops, server, question.readerIndex(0), 10, peers.get(i));
        UdpSocketsTest.send(loops, server, burst.readerIndex(0), 1000, peers.get(i));
        InetSocketAddress there = new InetSocketAddress(order.get(i), port);
        expected.addAll(Collections.nCopies(4, there));
      }
      UdpSocket socket = server.sockets().getFirst();
      loops
          .first()
          .submit(() -> {
            peers.forEach(peer -> socket.post(question.readerIndex(0), peer));
            return socket.flush();
          })
          .get(5, TimeUnit.SECONDS);
      order.forEach(address -> expected.add(new InetSocketAddress(address, port)));
      await().until(() -> answered.peers.size() >= expected.size());
      assertThat(answered.peers).containsExactlyElementsOf(expected);
      assertThat(socket.refusals().total()).isZero();
      question.release();
      burst.release();
    }
  }

  @Test
  void aHostWithoutIpv6IsServedByIpv4() throws Exception {
    try (Namespace namespace = Namespace.create();
        Loops loops = new Loops(1)) {
      namespace.command("sysctl -q -w net.ipv6.conf.all.disable_ipv6=1");
      UdpSocketsTest.Inbox inbox = new UdpSocketsTest.Inbox();
      UdpSockets to = bind(namespace, loops, at("0.0.0.0"), inbox);
      UdpSockets from = bind(namespace, loops, at("127.0.0.1"), new UdpSocketsTest.Inbox());
      ByteBuf one = Unpooled.directBuffer().writeZero(10);
      InetSocketAddress there = new InetSocketAddress("127.0.0.1", to.address().getPort());
      assertThat(UdpSocketsTest.send(loops, from, one, 10, there)).isEqualTo(SendResult.SENT);
      await().until(() -> inbox.datagrams.size() == 1);
      one.release();
      from.close();
      to.close();
    }
  }
}
