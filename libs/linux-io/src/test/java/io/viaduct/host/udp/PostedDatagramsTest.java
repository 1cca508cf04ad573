package io.viaduct.host.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.viaduct.host.linux.Errno;
import io.viaduct.host.linux.Loops;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Tests datagrams to many peers by one call, on the loopback interface.
@Timeout(30)
class PostedDatagramsTest {
  private static final long SEED = 19;

  // Without SO_BROADCAST the kernel refuses this address: EACCES.
  private static final InetSocketAddress FORBIDDEN = new InetSocketAddress("255.255.255.255", 9);

  private static byte[] bytes(Random random, int length) {
    byte[] made = new byte[length];
    random.nextBytes(made);
    return made;
  }

  private static int post(UdpSocket socket, List<byte[]> datagrams, List<InetSocketAddress> to) {
    for (int i = 0; i < datagrams.size(); i++) {
      ByteBuf one = Unpooled.directBuffer().writeBytes(datagrams.get(i));
      boolean full = socket.post(one, to.get(i));
      assertThat(full).isEqualTo(i == 63);
      assertThat(one.readableBytes()).as("the buffer stays the caller's").isPositive();
      one.release();
    }
    return socket.flush();
  }

  @Test
  void datagramsOfAnySizeToManyPeersLeaveInOneCallAndArriveWhole() throws Exception {
    Random random = new Random(SEED);
    try (Loops loops = new Loops(1)) {
      List<UdpSocketsTest.Inbox> inboxes = new ArrayList<>();
      List<UdpSockets> peers = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        inboxes.add(new UdpSocketsTest.Inbox());
        peers.add(UdpSocketsTest.bind(loops, "127.0.0.1", inboxes.getLast()));
      }
      UdpSockets from = UdpSocketsTest.bind(loops, "127.0.0.1", new UdpSocketsTest.Inbox());
      UdpSocket socket = from.sockets().getFirst();
      List<byte[]> datagrams = new ArrayList<>();
      List<InetSocketAddress> to = new ArrayList<>();
      List<List<String>> expected = new ArrayList<>();
      peers.forEach(_ -> expected.add(new ArrayList<>()));
      for (int i = 0; i < 64; i++) {
        int peer = random.nextInt(peers.size());
        datagrams.add(bytes(random, 1 + random.nextInt(UdpSocket.POSTED_BYTES_MAX)));
        to.add(peers.get(peer).address());
        expected.get(peer).add(ByteBufUtil.hexDump(datagrams.getLast()));
      }
      int refused =
          loops.first().submit(() -> post(socket, datagrams, to)).get(5, TimeUnit.SECONDS);
      assertThat(refused).isZero();
      assertThat(socket.sends()).isEqualTo(1);
      assertThat(socket.datagramsSent()).isEqualTo(64);
      assertThat(socket.bytesSent()).isEqualTo(datagrams.stream().mapToLong(d -> d.length).sum());
      assertThat(socket.posted()).isZero();
      for (int i = 0; i < peers.size(); i++) {
        UdpSocketsTest.Inbox inbox = inboxes.get(i);
        List<String> wanted = expected.get(i);
        await().until(() -> inbox.datagrams.size() == wanted.size());
        assertThat(inbox.datagrams)
            .as("seed %d, peer %d", SEED, i)
            .containsExactlyElementsOf(wanted);
        peers.get(i).close();
      }
      from.close();
    }
  }

  @Test
  void aRefusedDatagramIsCountedAndThoseAroundItLeave() throws Exception {
    try (Loops loops = new Loops(1)) {
      UdpSocketsTest.Inbox inbox = new UdpSocketsTest.Inbox();
      UdpSockets to = UdpSocketsTest.bind(loops, "127.0.0.1", inbox);
      UdpSockets from = UdpSocketsTest.bind(loops, "127.0.0.1", new UdpSocketsTest.Inbox());
      UdpSocket socket = from.sockets().getFirst();
      List<byte[]> datagrams = List.of(new byte[1], new byte[2], new byte[3], new byte[4]);
      List<InetSocketAddress> peers = List.of(FORBIDDEN, to.address(), FORBIDDEN, to.address());
      int refused =
          loops.first().submit(() -> post(socket, datagrams, peers)).get(5, TimeUnit.SECONDS);
      assertThat(refused).isEqualTo(2);
      assertThat(socket.refusals().of(Errno.EACCES)).isEqualTo(2);
      assertThat(socket.datagramsSent()).isEqualTo(2);
      await().until(() -> inbox.datagrams.size() == 2);
      assertThat(inbox.datagrams).containsExactly("0000", "00000000");
      from.close();
      to.close();
    }
  }

  @Test
  void aDatagramTooLongToBePostedIsRefused() throws Exception {
    try (Loops loops = new Loops(1);
        UdpSockets from = UdpSocketsTest.bind(loops, "127.0.0.1", new UdpSocketsTest.Inbox())) {
      UdpSocket socket = from.sockets().getFirst();
      List<byte[]> datagrams = List.of(new byte[UdpSocket.POSTED_BYTES_MAX + 1]);
      List<InetSocketAddress> to = List.of(from.address());
      assertThatThrownBy(() ->
              loops.first().submit(() -> post(socket, datagrams, to)).get(5, TimeUnit.SECONDS))
          .hasMessageContaining("the next has 513 bytes, at most 512 may be posted");
    }
  }

  @Test
  void aClosedSocketRefusesWhatWasPosted() throws Exception {
    try (Loops loops = new Loops(1)) {
      UdpSockets from = UdpSocketsTest.bind(loops, "127.0.0.1", new UdpSocketsTest.Inbox());
      UdpSocket socket = from.sockets().getFirst();
      from.close();
      List<InetSocketAddress> to = List.of(from.address(), from.address());
      List<byte[]> datagrams = List.of(new byte[1], new byte[2]);
      int refused =
          loops.first().submit(() -> post(socket, datagrams, to)).get(5, TimeUnit.SECONDS);
      assertThat(refused).isEqualTo(2);
      assertThat(socket.refusals().of(Errno.EBADF)).isEqualTo(2);
    }
  }
}
