package io.viaduct.host.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.IoEventLoop;
import io.viaduct.host.linux.Errno;
import io.viaduct.host.linux.Loops;
import java.lang.management.ManagementFactory;
import java.net.BindException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Tests on the loopback interface, without privileges.
@Timeout(30)
class UdpSocketsTest {
  /// Keeps a copy of each datagram.
  static class Inbox implements DatagramReader {
    final Queue<String> datagrams = new ConcurrentLinkedQueue<>();
    final Queue<InetSocketAddress> peers = new ConcurrentLinkedQueue<>();
    final AtomicInteger batches = new AtomicInteger();
    final AtomicInteger writable = new AtomicInteger();
    final Queue<Long> waitedNs = new ConcurrentLinkedQueue<>();

    @Override
    public void burst(long waited) {
      waitedNs.add(waited);
    }

    @Override
    public void datagram(ByteBuf content, InetSocketAddress from) {
      datagrams.add(ByteBufUtil.hexDump(content));
      peers.add(from);
    }

    @Override
    public void batchEnd() {
      batches.incrementAndGet();
    }

    @Override
    public void writable() {
      writable.incrementAndGet();
    }
  }

  static UdpSockets bind(Loops loops, String address, DatagramReader reader)
      throws SocketException {
    return UdpSockets.bind(
        List.of(loops.first()),
        UdpSettings.at(new InetSocketAddress(address, 0)).buffered(1 << 20),
        _ -> reader);
  }

  static SendResult send(
      Loops loops, UdpSockets from, ByteBuf burst, int size, InetSocketAddress to)
      throws Exception {
    UdpSocket socket = from.sockets().getFirst();
    return loops.first().submit(() -> socket.send(burst, size, to)).get(5, TimeUnit.SECONDS);
  }

  @Test
  void theReaderLearnsHowLongADatagramHasWaitedForItsLoop() throws Exception {
    Inbox inbox = new Inbox();
    try (Loops loops = new Loops(1);
        UdpSockets to = bind(loops, "127.0.0.1", inbox);
        UdpSockets from = bind(loops, "127.0.0.1", new Inbox())) {
      // The kernel starts to stamp a moment after the option was set.
      await().until(() -> waitedNs(loops, from, to, inbox) >= TimeUnit.MILLISECONDS.toNanos(40));
    }
  }

  /// Returns the wait that the reader is given for a datagram held by its socket for 50 ms.
  private static long waitedNs(Loops loops, UdpSockets from, UdpSockets to, Inbox inbox)
      throws Exception {
    UdpSocket paused = to.sockets().getFirst();
    loops.first().submit(paused::pauseReading).get(5, TimeUnit.SECONDS);
    inbox.datagrams.clear();
    inbox.waitedNs.clear();
    long began = System.nanoTime();
    send(loops, from, Unpooled.directBuffer().writeLong(1), 8, to.address());
    loops.first().schedule(paused::resumeReading, 50, TimeUnit.MILLISECONDS);
    await().until(() -> !inbox.datagrams.isEmpty());
    long waited = inbox.waitedNs.remove();
    assertThat(waited).isBetween(0L, System.nanoTime() - began);
    return waited;
  }

  @Test
  void aBurstLeavesInOneCallAndArrivesAsItsDatagrams() throws Exception {
    Inbox inbox = new Inbox();
    try (Loops loops = new Loops(1);
        UdpSockets to = bind(loops, "127.0.0.1", inbox);
        UdpSockets from = bind(loops, "127.0.0.1", new Inbox())) {
      byte[] bytes = new byte[40 * 1200 + 100];
      new Random(5).nextBytes(bytes);
      ByteBuf burst = Unpooled.directBuffer().writeBytes(bytes);
      assertThat(send(loops, from, burst, 1200, to.address())).isEqualTo(SendResult.SENT);
      assertThat(burst.isReadable()).isFalse();
      await().until(() -> inbox.datagrams.size() == 41);
      assertThat(String.join("", inbox.datagrams)).isEqualTo(ByteBufUtil.hexDump(bytes));
      assertThat(inbox.datagrams).allMatch(one -> one.length() == 2400 || one.length() == 200);
      assertThat(Set.copyOf(inbox.peers)).containsExactly(from.address());
      UdpSocket sender = from.sockets().getFirst();
      assertThat(sender.sends()).isEqualTo(1);
      assertThat(sender.datagramsSent()).isEqualTo(41);
      assertThat(sender.bytesSent()).isEqualTo(bytes.length);
      assertThat(sender.hasSegmentationOffload()).isTrue();
      UdpSocket receiver = to.sockets().getFirst();
      assertThat(receiver.datagramsReceived()).isEqualTo(41);
      assertThat(receiver.bytesReceived()).isEqualTo(bytes.length);
      assertThat(receiver.receives()).as("merged by GRO").isLessThan(10);
      burst.release();
    }
  }

  @Test
  void aBurstOfMoreThanTheKernelTakesIsSentInSeveralCalls() throws Exception {
    Inbox inbox = new Inbox();
    try (Loops loops = new Loops(1);
        UdpSockets to = bind(loops, "127.0.0.1", inbox);
        UdpSockets from = bind(loops, "127.0.0.1", new Inbox())) {
      ByteBuf many = Unpooled.directBuffer().writeZero(200 * 100);
      assertThat(send(loops, from, many, 100, to.address())).isEqualTo(SendResult.SENT);
      assertThat(from.sockets().getFirst().sends()).isEqualTo(4); // 64 + 64 + 64 + 8
      ByteBuf large = Unpooled.directBuffer().writeZero(100_000);
      assertThat(send(loops, from, large, 1400, to.address())).isEqualTo(SendResult.SENT);
      assertThat(from.sockets().getFirst().sends()).isEqualTo(6); // 46 * 1400 = 64 400 at once
      await().until(() -> inbox.datagrams.size() == 200 + 72);
      many.release();
      large.release();
    }
  }

  @Test
  void aWildcardTakesIpv4AndIpv6AndNamesPeersByTheirOwnFamily() throws Exception {
    try (Loops loops = new Loops(1)) {
      Inbox inbox = new Inbox();
      UdpSockets to = bind(loops, "0.0.0.0", inbox);
      for (String host : List.of("127.0.0.1", "::1")) {
        Inbox answers = new Inbox();
        UdpSockets from = bind(loops, host, answers);
        ByteBuf one = Unpooled.directBuffer().writeZero(50);
        InetSocketAddress there =
            new InetSocketAddress(InetAddress.getByName(host), to.address().getPort());
        assertThat(send(loops, from, one, 50, there)).isEqualTo(SendResult.SENT);
        await().until(() -> inbox.peers.size() == 1);
        InetSocketAddress peer = inbox.peers.remove();
        assertThat(peer).isEqualTo(from.address());
        one.readerIndex(0);
        assertThat(send(loops, to, one, 50, peer)).isEqualTo(SendResult.SENT);
        await().until(() -> answers.datagrams.size() == 1);
        one.release();
        from.close();
      }
      to.close();
    }
  }

  @Test
  void aByteOfThePayloadChoosesTheEventLoop() throws Exception {
    try (Loops loops = new Loops(3);
        DatagramSocket sender = new DatagramSocket()) {
      List<Inbox> inboxes = new ArrayList<>(List.of(new Inbox(), new Inbox(), new Inbox()));
      UdpSettings settings = UdpSettings.at(new InetSocketAddress("127.0.0.1", 0)).steerByOffset(5);
      UdpSockets to = UdpSockets.bind(loops.all(), settings, inboxes::get);
      for (int i = 0; i < 90; i++) {
        byte[] datagram = {9, 9, 9, 9, 9, (byte) i, (byte) i};
        sender.send(new DatagramPacket(datagram, datagram.length, to.address()));
      }
      sender.send(new DatagramPacket(new byte[2], 2, to.address())); // too short: the first one
      await().until(() -> inboxes.stream().mapToInt(inbox -> inbox.datagrams.size()).sum() == 91);
      for (int socket = 0; socket < 3; socket++) {
        int chosen = socket;
        assertThat(inboxes.get(socket).datagrams).hasSize(socket == 0 ? 31 : 30);
        assertThat(inboxes.get(socket).datagrams)
            .filteredOn(datagram -> datagram.length() == 14)
            .allMatch(datagram -> Integer.parseInt(datagram.substring(10, 12), 16) % 3 == chosen);
      }
      to.close();
    }
  }

  @Test
  void aDatagramTooLongForAnyPathIsRefusedAndCounted() throws Exception {
    try (Loops loops = new Loops(1);
        UdpSockets from = bind(loops, "127.0.0.1", new Inbox())) {
      ByteBuf burst = Unpooled.directBuffer().writeZero(70_000);
      assertThatThrownBy(() -> send(loops, from, burst, 70_000, from.address()))
          .hasMessageContaining("1 to 65507 bytes, got 70000");
      burst.release();
    }
  }

  @Test
  void anIpv6PeerOfAnIpv4SocketIsRefused() throws Exception {
    try (Loops loops = new Loops(1);
        UdpSockets from = bind(loops, "127.0.0.1", new Inbox())) {
      ByteBuf burst = Unpooled.directBuffer().writeZero(10);
      assertThatThrownBy(() -> send(loops, from, burst, 10, new InetSocketAddress("::1", 9)))
          .hasMessageContaining("cannot reach");
      burst.release();
    }
  }

  @Test
  void anAddressThatIsTakenIsRefusedAndSaysWhatToDo() throws Exception {
    try (Loops loops = new Loops(1);
        DatagramSocket taken = new DatagramSocket(0, InetAddress.getByName("127.0.0.1"))) {
      InetSocketAddress address = new InetSocketAddress("127.0.0.1", taken.getLocalPort());
      assertThatThrownBy(
              () -> UdpSockets.bind(loops.all(), UdpSettings.at(address), _ -> new Inbox()))
          .isInstanceOf(BindException.class)
          .hasMessageContaining("EADDRINUSE")
          .hasMessageContaining("choose another port");
      InetSocketAddress foreign = new InetSocketAddress("192.0.2.1", 0);
      assertThatThrownBy(
              () -> UdpSockets.bind(loops.all(), UdpSettings.at(foreign), _ -> new Inbox()))
          .hasMessageContaining("EADDRNOTAVAIL");
    }
  }

  @Test
  void aReaderMayCloseTheSocketFromWithinADatagram() throws Exception {
    try (Loops loops = new Loops(1)) {
      AtomicInteger seen = new AtomicInteger();
      UdpSockets[] self = new UdpSockets[1];
      UdpSockets to =
          bind(
              loops,
              "127.0.0.1",
              new DatagramReader() {
                @Override
                public void datagram(ByteBuf content, InetSocketAddress from) {
                  seen.incrementAndGet();
                  self[0].close();
                }

                @Override
                public void batchEnd() {}
              });
      self[0] = to;
      UdpSockets from = bind(loops, "127.0.0.1", new Inbox());
      ByteBuf one = Unpooled.directBuffer().writeZero(10);
      assertThat(send(loops, from, one, 10, to.address())).isEqualTo(SendResult.SENT);
      await().until(() -> seen.get() == 1);
      one.release();
      from.close();
    }
  }

  @Test
  void aClosedSocketRefusesToSend() throws Exception {
    try (Loops loops = new Loops(1)) {
      UdpSockets from = bind(loops, "127.0.0.1", new Inbox());
      IoEventLoop loop = loops.first();
      assertThat(loop.inEventLoop()).isFalse();
      from.close();
      from.close();
      ByteBuf one = Unpooled.directBuffer().writeZero(10);
      assertThat(send(loops, from, one, 10, from.address())).isEqualTo(SendResult.REFUSED);
      assertThat(from.sockets().getFirst().refusals().of(Errno.EBADF)).isEqualTo(1);
      one.release();
    }
  }

  @Test
  void aReaderThatThrowsHoldsUpNobody() throws Exception {
    try (Loops loops = new Loops(1)) {
      AtomicInteger seen = new AtomicInteger();
      DatagramReader faulty =
          new DatagramReader() {
            @Override
            public void datagram(ByteBuf content, InetSocketAddress from) {
              seen.incrementAndGet();
              throw new IllegalStateException("a fault that a test wants");
            }

            @Override
            public void batchEnd() {}
          };
      UdpSockets to = bind(loops, "127.0.0.1", faulty);
      UdpSockets from = bind(loops, "127.0.0.1", new Inbox());
      ByteBuf one = Unpooled.directBuffer().writeZero(10);
      long start = System.nanoTime();
      for (int i = 1; i <= 5; i++) {
        int expected = i;
        one.readerIndex(0);
        assertThat(send(loops, from, one, 10, to.address())).isEqualTo(SendResult.SENT);
        await().until(() -> seen.get() == expected);
      }
      // Netty's own reaction to a fault is a sleep of one second each.
      assertThat(System.nanoTime() - start).isLessThan(4_000_000_000L);
      one.release();
      from.close();
      to.close();
    }
  }

  @Test
  void nothingIsAllocatedPerDatagramOnceWarm() throws Exception {
    allocatesNothing(UdpSettings.at(new InetSocketAddress("127.0.0.1", 0)));
  }

  @Test
  void nothingIsAllocatedPerDatagramWithItsLocalAddressOnceWarm() throws Exception {
    allocatesNothing(UdpSettings.at(new InetSocketAddress("0.0.0.0", 0)).answeringFromArrival());
  }

  /// Sends bursts from a socket to another one, and answers each.
  private static void allocatesNothing(UdpSettings settings) throws Exception {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (Loops loops = new Loops(1)) {
      int[] received = new int[1];
      InetSocketAddress[] peer = new InetSocketAddress[1];
      DatagramReader counting =
          new DatagramReader() {
            @Override
            public void datagram(ByteBuf content, InetSocketAddress from) {
              received[0] += from.getPort() > 0 ? 1 : 0;
              peer[0] = from;
            }

            @Override
            public void batchEnd() {}
          };
      UdpSockets to = UdpSockets.bind(List.of(loops.first()), settings, _ -> counting);
      InetSocketAddress there = new InetSocketAddress("127.0.0.1", to.address().getPort());
      UdpSocket sender = bind(loops, "127.0.0.1", new Inbox()).sockets().getFirst();
      loops.first().submit(sender::pauseReading).get(5, TimeUnit.SECONDS);
      UdpSocket receiver = to.sockets().getFirst();
      ByteBuf burst = Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(20 * 1200));
      // The first rounds warm up; if the compiler must remove an allocation, it takes some hundred.
      long least = Long.MAX_VALUE;
      for (int round = 0; round < 1500 && least > 1000; round++) {
        long bytes =
            loops
                .first()
                .submit(() -> {
                  long before = threads.getCurrentThreadAllocatedBytes();
                  for (int i = 0; i < 100; i++) {
                    burst.setIndex(0, burst.capacity());
                    sender.send(burst, 1200, there);
                    receiver.readable();
                    burst.setIndex(0, 1200);
                    receiver.send(burst, 1200, peer[0]);
                  }
                  return threads.getCurrentThreadAllocatedBytes() - before;
                })
                .get(10, TimeUnit.SECONDS);
        least = Math.min(least, bytes);
      }
      assertThat(received[0]).isGreaterThanOrEqualTo(2000);
      assertThat(least).as("bytes for 2000 datagrams sent and received").isLessThanOrEqualTo(1000);
      sender.close();
      to.close();
    }
  }
}
