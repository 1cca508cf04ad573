package io.viaduct.host.tun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.IoEventLoop;
import io.viaduct.host.linux.Errno;
import io.viaduct.host.linux.Loops;
import io.viaduct.host.linux.Namespace;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class TunDeviceLabIT {
  private static ByteBuf buffer() {
    return Unpooled.directBuffer(VirtioNetHeader.LENGTH + TunDevice.PACKET_BYTES_MAX);
  }

  private static TunDevice open(Namespace namespace, String name, int queues, String... addresses)
      throws Exception {
    TunDevice device = namespace.run(() -> TunDevice.open(new TunSettings(name, queues)));
    for (String address : addresses) {
      namespace.command("ip address add " + address + " dev " + name + " nodad");
    }
    namespace.command("ip link set " + name + " up");
    return device;
  }

  /// Copies all packets from one device to another, unchanged, and keeps the type of the largest
  /// one.
  private static final class Relay implements TunReader {
    private final TunQueue to;
    private final VirtioNetHeader header = new VirtioNetHeader();
    private final AtomicInteger superpackets = new AtomicInteger();
    private final AtomicInteger longest = new AtomicInteger();

    private Relay(TunQueue to) {
      this.to = to;
    }

    @Override
    public void packet(ByteBuf buffer, int headerOffset, int packetLength) {
      header.wrap(buffer, headerOffset);
      if (header.gsoType() == VirtioNetHeader.GSO_TCPV4 && header.gsoSize() > 0) {
        superpackets.incrementAndGet();
      }
      longest.accumulateAndGet(packetLength, Math::max);
      to.write(buffer, headerOffset, packetLength);
    }

    @Override
    public void batchEnd() {}
  }

  /// Topology: client 10.77.0.1 -- tuna ==relay== tunb -- 10.77.0.2 server.
  @Test
  void superpacketsCrossFromTunToTunAndTheBytesArriveIntact() throws Exception {
    try (Namespace left = Namespace.create();
        Namespace right = Namespace.create();
        Loops loops = new Loops(1);
        TunDevice a = open(left, "tuna", 1, "10.77.0.1/24");
        TunDevice b = open(right, "tunb", 1, "10.77.0.2/24")) {
      IoEventLoop loop = loops.first();
      Relay there = new Relay(b.queues().getFirst());
      Relay back = new Relay(a.queues().getFirst());
      ByteBuf one = buffer();
      ByteBuf two = buffer();
      a.queues().getFirst().start(loop, one, 0, there);
      b.queues().getFirst().start(loop, two, 0, back);

      ServerSocket server = right.run(() -> new ServerSocket(5001));
      FutureTask<byte[]> received =
          new FutureTask<>(() -> {
            try (Socket from = server.accept();
                InputStream in = from.getInputStream()) {
              return digest(in.readAllBytes());
            }
          });
      Thread.ofPlatform().daemon().start(received);
      byte[] sent = new byte[8 << 20];
      new Random(7).nextBytes(sent);
      left.run(() -> {
        try (Socket socket = new Socket("10.77.0.2", 5001);
            OutputStream out = socket.getOutputStream()) {
          out.write(sent);
        }
        return true;
      });
      assertThat(received.get(20, TimeUnit.SECONDS)).isEqualTo(digest(sent));
      assertThat(there.superpackets.get()).isPositive();
      assertThat(there.longest.get()).isGreaterThan(30_000);
      assertThat(a.offloads()).isNotEqualTo(TunOffloads.NONE);
      assertThat(a.queues().getFirst().bytesRead()).isGreaterThan(sent.length);
      server.close();
      a.close();
      b.close();
      one.release();
      two.release();
    }
  }

  private static byte[] digest(byte[] bytes) throws Exception {
    return MessageDigest.getInstance("SHA-256").digest(bytes);
  }

  @Test
  void aUdpSuperpacketWrittenArrivesAsDatagrams() throws Exception {
    try (Namespace namespace = Namespace.create();
        Loops loops = new Loops(1);
        TunDevice device = open(namespace, "tun5", 1, "10.78.0.1/24", "fd78::1/64")) {
      DatagramSocket socket = namespace.run(() -> new DatagramSocket(5000));
      ByteBuf read = buffer();
      device.queues().getFirst().start(loops.first(), read, 0, new Collector());
      byte[] payload = new byte[10 * 1000 + 17];
      new Random(3).nextBytes(payload);
      for (String peer : List.of("10.78.0.", "fd78::")) {
        ByteBuf burst = Packets.superpacket(peer + "9", peer + "1", false, 0, 1000, payload, 0);
        WriteResult result =
            onLoop(loops, () -> device.queues().getFirst().write(burst, 0, Packets.length(burst)));
        assertThat(result).isEqualTo(WriteResult.WRITTEN);
        socket.setSoTimeout(5000);
        for (int i = 0; i <= 10; i++) {
          DatagramPacket one = new DatagramPacket(new byte[2000], 2000);
          socket.receive(one);
          assertThat(one.getLength()).isEqualTo(i < 10 ? 1000 : 17);
          assertThat(ByteBufUtil.hexDump(one.getData(), 0, one.getLength()))
              .isEqualTo(ByteBufUtil.hexDump(payload, i * 1000, one.getLength()));
        }
        burst.release();
      }
      socket.close();
      device.close();
      read.release();
    }
  }

  @Test
  void theFlowsOfADeviceSpreadOverItsQueues() throws Exception {
    try (Namespace namespace = Namespace.create();
        Loops loops = new Loops(2);
        TunDevice device = open(namespace, "tunq", 2, "10.80.0.1/24")) {
      AtomicIntegerArray packets = new AtomicIntegerArray(2);
      List<ByteBuf> buffers = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        int queue = i;
        ByteBuf read = buffer();
        buffers.add(read);
        device
            .queues()
            .get(i)
            .start(
                loops.all().get(i),
                read,
                0,
                new TunReader() {
                  @Override
                  public void packet(ByteBuf buffer, int headerOffset, int packetLength) {
                    packets.incrementAndGet(queue);
                  }

                  @Override
                  public void batchEnd() {}
                });
      }
      namespace.run(() -> {
        for (int i = 0; i < 64; i++) {
          try (DatagramSocket socket = new DatagramSocket()) {
            InetSocketAddress to = new InetSocketAddress("10.80.0.2", 9);
            socket.send(new DatagramPacket(new byte[10], 10, to));
          }
        }
        return true;
      });
      await().until(() -> packets.get(0) + packets.get(1) >= 64);
      assertThat(packets.get(0)).isPositive();
      assertThat(packets.get(1)).isPositive();
      device.close();
      buffers.forEach(ByteBuf::release);
    }
  }

  @Test
  void aPausedQueueLeavesPacketsInTheKernelUntilItGoesOn() throws Exception {
    try (Namespace namespace = Namespace.create();
        Loops loops = new Loops(1);
        TunDevice device = open(namespace, "tunp", 1, "10.81.0.1/24")) {
      TunQueue queue = device.queues().getFirst();
      Collector collector = new Collector();
      ByteBuf read = buffer();
      queue.start(loops.first(), read, 0, collector);
      send(namespace, "10.81.0.2");
      await().until(() -> collector.packets.size() == 1);
      onLoop(
          loops,
          () -> {
            queue.pauseReading();
            return true;
          });
      send(namespace, "10.81.0.2");
      send(namespace, "10.81.0.2");
      onLoop(loops, () -> true);
      assertThat(collector.packets).hasSize(1);
      onLoop(
          loops,
          () -> {
            queue.resumeReading();
            return true;
          });
      await().until(() -> collector.packets.size() == 3);
      assertThat(collector.batches.get()).isLessThanOrEqualTo(3);
      device.close();
      read.release();
    }
  }

  private static void send(Namespace namespace, String to) throws Exception {
    namespace.run(() -> {
      try (DatagramSocket socket = new DatagramSocket()) {
        socket.send(new DatagramPacket(new byte[10], 10, InetAddress.getByName(to), 9));
      }
      return true;
    });
  }

  @Test
  void aWriteToAnInterfaceThatIsDownIsRefusedAndCounted() throws Exception {
    try (Namespace namespace = Namespace.create();
        Loops loops = new Loops(1);
        TunDevice device = open(namespace, "tund", 1, "10.82.0.1/24")) {
      namespace.command("ip link set tund down");
      ByteBuf read = buffer();
      TunQueue queue = device.queues().getFirst();
      queue.start(loops.first(), read, 0, new Collector());
      ByteBuf packet = Packets.superpacket("10.82.0.9", "10.82.0.1", false, 0, 0, new byte[5], 0);
      WriteResult result = onLoop(loops, () -> queue.write(packet, 0, Packets.length(packet)));
      assertThat(result).isEqualTo(WriteResult.REFUSED);
      assertThat(queue.refusals().of(Errno.EIO)).isEqualTo(1);
      packet.release();
      device.close();
      read.release();
    }
  }

  @Test
  void aDeletedDeviceStopsItsQueueWithoutSpinning() throws Exception {
    try (Namespace namespace = Namespace.create();
        Loops loops = new Loops(1);
        TunDevice device = open(namespace, "tunx", 1, "10.83.0.1/24")) {
      ByteBuf read = buffer();
      TunQueue queue = device.queues().getFirst();
      queue.start(loops.first(), read, 0, new Collector());
      namespace.command("ip link delete tunx");
      await().until(() -> queue.refusals().of(Errno.EBADFD) == 1);
      onLoop(loops, () -> true);
      onLoop(loops, () -> true);
      assertThat(queue.refusals().total()).isEqualTo(1);
      device.close();
      read.release();
    }
  }

  @Test
  void aTakenNameIsRefusedAndSaysWhatToDo() throws Exception {
    try (Namespace namespace = Namespace.create();
        TunDevice _ = open(namespace, "twice", 2)) {
      assertThatThrownBy(() -> namespace.run(() -> TunDevice.open(new TunSettings("twice", 2))))
          .isInstanceOfSatisfying(
              TunException.class,
              e -> assertThat(e.reason()).isEqualTo(TunException.Reason.NAME_TAKEN))
          .hasMessageContaining("choose another name");
    }
  }

  @Test
  void theKernelMayChooseTheNumberInTheName() throws Exception {
    try (Namespace namespace = Namespace.create();
        TunDevice device = namespace.run(() -> TunDevice.open(new TunSettings("via%d", 2)))) {
      assertThat(device.name()).isEqualTo("via0");
      assertThat(namespace.command("ip link show via0")).contains("via0");
      device.close();
      assertThat(namespace.command("ip link")).doesNotContain("via0");
    }
  }

  private static <T> T onLoop(Loops loops, java.util.concurrent.Callable<T> body) throws Exception {
    Future<T> done = loops.first().submit(body);
    return done.get(5, TimeUnit.SECONDS);
  }

  private static final class Collector implements TunReader {
    private final Queue<Integer> packets = new ConcurrentLinkedQueue<>();
    private final AtomicInteger batches = new AtomicInteger();

    @Override
    public void packet(ByteBuf buffer, int headerOffset, int packetLength) {
      int version = buffer.getByte(headerOffset + VirtioNetHeader.LENGTH) >>> 4;
      if (version == 4) { // not the kernel's own router solicitations
        packets.add(packetLength);
      }
    }

    @Override
    public void batchEnd() {
      batches.incrementAndGet();
    }
  }
}
