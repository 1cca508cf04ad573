package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.key.Aead;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.Ciphers;
import io.viaduct.tunnel.key.NullAead;
import io.viaduct.tunnel.key.ProviderAead;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.restore.InnerPacketSink;
import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.terms.OuterHeader;
import io.viaduct.tunnel.terms.TunnelRole;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.ServiceClass;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Measures the speed of offer → drain → open on one core, and its allocations. `main` prints them;
/// the allocation test uses them.
public final class SpeedCheck implements AutoCloseable {
  private static final InetSocketAddress AGENT = new InetSocketAddress("192.0.2.10", 40000);
  private final LoopMemory memory;
  private final TunnelSession agent;
  private final TunnelSession snapt;
  private final ServiceClass serviceClass;
  private long paceNs = 20_000;
  private long nowNs = 1_000_000_000;
  long restoredBytes;
  long restoredPackets;
  long datagrams;
  private long carriedBytes;

  public SpeedCheck(ServiceClass serviceClass, Function<AeadAlgorithm, Aead> ciphers) {
    this(serviceClass, ciphers, PooledByteBufAllocator.DEFAULT);
  }

  public SpeedCheck(
      ServiceClass serviceClass,
      Function<AeadAlgorithm, Aead> ciphers,
      ByteBufAllocator allocator) {
    this.serviceClass = serviceClass;
    memory = new LoopMemory(allocator, new SplittableRandom(1), ciphers);
    SessionSecret secret = SessionSecret.of(new byte[32]);
    agent = session(TunnelRole.AGENT, secret);
    snapt = session(TunnelRole.SNAPT, secret);
    agent.outer(0, OuterHeader.of(AGENT), nowNs);
  }

  private TunnelSession session(TunnelRole role, SessionSecret secret) {
    return new TunnelSession(
        role,
        TestSettings.terms(AeadAlgorithm.AES_256_GCM, secret, 1),
        TunnelSettings.defaults(),
        memory,
        role == TunnelRole.AGENT ? classifying() : FlowListener.SILENT,
        PathListener.SILENT,
        nowNs);
  }

  private FlowListener classifying() {
    return new FlowListener() {
      @Override
      public void opened(FlowState flow) {
        flow.classify(serviceClass, 1);
      }
    };
  }

  private final IpPacket offered = new IpPacket();

  private final InnerPacketSink tun =
      (flow, packet) -> {
        restoredBytes += packet.length();
        restoredPackets++;
      };

  private final class ToSession implements DatagramSink {
    private final boolean toSnapt;

    ToSession(boolean toSnapt) {
      this.toSnapt = toSnapt;
    }

    @Override
    public boolean isWritable() {
      return true;
    }

    @Override
    public void send(ByteBuf burst, int segmentSize, @Nullable InetSocketAddress to, long nowNs) {
      TunnelSession session = toSnapt ? snapt : agent;
      int bytes = burst.readableBytes();
      carriedBytes += toSnapt ? bytes : 0;
      for (int at = 0; at < bytes; at += segmentSize) {
        session.open(burst, at, Math.min(segmentSize, bytes - at), AGENT, tun, nowNs);
        datagrams++;
      }
      session.openBatchEnd(nowNs);
      burst.release();
    }
  }

  private final ToSession up = new ToSession(true);
  private final ToSession down = new ToSession(false);

  /// Sets the time between two batches; the default is 20 µs.
  public void pace(long ns) {
    paceNs = ns;
  }

  /// Sends one batch of `count` equal packets.
  public void batch(ByteBuf packet, int length, int gso, int count) {
    for (int i = 0; i < count; i++) {
      offer(packet, length, gso);
    }
    end();
  }

  /// Offers one packet of a batch.
  public void offer(ByteBuf packet, int length, int gso) {
    agent.offer(offered.set(packet, 12, length, gso, true), nowNs);
  }

  /// Ends the batch, and lets time pass until the next one.
  public void end() {
    agent.flushBatch(nowNs);
    agent.drain(up, nowNs);
    if (nowNs >= agent.nextDeadlineNs()) {
      agent.onTick(nowNs);
      agent.drain(up, nowNs);
    }
    if (nowNs >= snapt.nextDeadlineNs()) {
      snapt.onTick(nowNs);
      snapt.drain(down, nowNs);
    }
    nowNs += paceNs;
  }

  /// Returns the share of bytes that the tunnel has saved so far, comparing IP packets with
  /// datagrams.
  public double saved() {
    return 1 - (double) carriedBytes / restoredBytes;
  }

  public static ByteBuf buffer(byte[] packet) {
    return Unpooled.directBuffer(packet.length + 12).writeZero(12).writeBytes(packet);
  }

  static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new Random(3).nextBytes(bytes);
    return bytes;
  }

  static byte[] text(int length) {
    byte[] bytes = random(length);
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) "etaoin shrdlu".charAt((bytes[i] & 0xFF) % 13 & (i % 3 == 0 ? 15 : 3));
    }
    return bytes;
  }

  static byte[] superpacket(int payload, boolean text) {
    byte[] bytes = text ? text(payload) : random(payload);
    return PacketForge.checksum(
        PacketForge.tcp(Endpoints.ipv4(5000, 7, 80), 1, PacketForge.ACK, bytes), 1);
  }

  static byte[] datagram(int packetBytes) {
    byte[] bytes = new byte[packetBytes - 28];
    new Random(4).nextBytes(bytes);
    return PacketForge.checksum(PacketForge.udp(Endpoints.ipv4(5001, 7, 5060), bytes), 1);
  }

  private static void measure(
      String name,
      Function<AeadAlgorithm, Aead> ciphers,
      byte[] packet,
      int gso,
      int count,
      long batches) {
    try (SpeedCheck check =
        new SpeedCheck(gso > 0 ? ServiceClass.HT_HD : ServiceClass.LT_LD, ciphers)) {
      ByteBuf buffer = buffer(packet);
      for (long i = 0; i < batches; i++) {
        check.batch(buffer, packet.length, gso, count);
      }
      check.restoredBytes = 0;
      check.restoredPackets = 0;
      check.datagrams = 0;
      var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
      long allocated = threads.getCurrentThreadAllocatedBytes();
      long start = threads.getCurrentThreadCpuTime();
      for (long i = 0; i < batches; i++) {
        check.batch(buffer, packet.length, gso, count);
      }
      double seconds = (threads.getCurrentThreadCpuTime() - start) / 1e9;
      long garbage = threads.getCurrentThreadAllocatedBytes() - allocated;
      System.out.printf(
          "%-34s %6.2f GB/s %8.2f Gbit/s %8.0f kpackets/s %7.0f B garbage/datagram%n",
          name,
          check.restoredBytes / seconds / 1e9,
          check.restoredBytes * 8 / seconds / 1e9,
          batches * count / seconds / 1e3,
          (double) garbage / check.datagrams);
      buffer.release();
    }
  }

  /// Prints the speeds.
  public static void main(String[] arguments) {
    int gso = 1380;
    byte[] random = superpacket(gso * 47, false);
    byte[] text = superpacket(gso * 47, true);
    byte[] small = datagram(100);
    System.out.println("AES-256-GCM by " + Ciphers.provider(AeadAlgorithm.AES_256_GCM));
    for (int round = 0; round < 2; round++) {
      measure("64 KiB random, AES-256-GCM", Ciphers::fastest, random, gso, 4, 3000);
      measure("64 KiB random, the JDK's", ProviderAead::new, random, gso, 4, 3000);
      measure("64 KiB random, unsealed", a -> new NullAead(), random, gso, 4, 6000);
      measure("64 KiB text, AES-256-GCM", Ciphers::fastest, text, gso, 4, 1000);
      measure("100 B random UDP, AES-256-GCM", Ciphers::fastest, small, 0, 64, 30000);
      measure("100 B random UDP, unsealed", a -> new NullAead(), small, 0, 64, 30000);
    }
  }

  @Override
  public void close() {
    agent.close();
    snapt.close();
    memory.close();
  }
}
