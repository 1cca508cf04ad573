package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.viaduct.cnapt.links.Remotes;
import io.viaduct.cnapt.receipts.SessionCounts;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.session.DatagramSink;
import io.viaduct.tunnel.session.LoopMemory;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.terms.TunnelRole;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.terms.TunnelTerms;
import io.viaduct.tunnel.wire.IpPacket;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/// The SNAPT's end of a tunnel on this machine, with real UDP and the real protocol core. Behind it
/// is a host that sends every packet back to its source (RFC 862, for all ports and addresses).
final class MirrorSnapt implements AutoCloseable {
  private static final int IPV4_SOURCE = 12;
  private static final int IPV4_DESTINATION = 16;
  private static final int AGENT_INDEX = 11;
  private static final int OWN_INDEX = 22;
  private static final int HEADROOM = 16;

  private record Inner(byte[] packet, int gsoSize, boolean checksumPartial) {}

  private final SessionCounts counts = SessionCounts.inMemory();
  private final DatagramSocket socket =
      new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  private final LoopMemory memory = new LoopMemory(ByteBufAllocator.DEFAULT, new SecureRandom());
  private final Deque<Inner> restored = new ArrayDeque<>();
  private final TunnelSettings settings;
  private final byte[] secret = new byte[SessionSecret.BYTES];
  private final TunnelSession session;

  /// The class of the last received packet.
  private volatile long delayNs; // written by the test

  volatile String serviceClass = "";

  /// Counted down when the agent has sent FLOW_STATS.
  final CountDownLatch told = new CountDownLatch(1);

  MirrorSnapt(TunnelSettings settings) throws IOException {
    this.settings = settings;
    new SecureRandom().nextBytes(secret);
    session =
        new TunnelSession(
            TunnelRole.SNAPT,
            terms(AGENT_INDEX),
            settings,
            memory,
            new FlowListener() {},
            PathListener.SILENT,
            System.nanoTime());
    Thread.ofPlatform().name("mirror").daemon().start(this::serve);
  }

  /// Returns the terms of a Welcome of this SNAPT.
  SessionParameters parameters() {
    return new SessionParameters(
        "mirror " + socket.getLocalPort(),
        terms(OWN_INDEX),
        settings,
        Remotes.of((InetSocketAddress) socket.getLocalSocketAddress()),
        AGENT_INDEX,
        counts);
  }

  /// Returns the data path's counts of this session.
  SessionCounts counts() {
    return counts;
  }

  private TunnelTerms terms(int peerReceiverIndex) {
    return new TunnelTerms(
        AeadAlgorithm.AES_256_GCM,
        SessionSecret.of(secret.clone()),
        peerReceiverIndex,
        new TunnelLimits(1500, settings.historyBytes()));
  }

  private void serve() {
    DatagramPacket packet = new DatagramPacket(new byte[65_535], 65_535);
    while (!socket.isClosed()) {
      try {
        packet.setLength(65_535);
        socket.receive(packet);
        took(packet);
      } catch (IOException e) {
        if (!socket.isClosed()) {
          throw new UncheckedIOException(e);
        }
      }
    }
    session.close();
    memory.close();
  }

  /// Lets each datagram wait for this time before it is taken, as on a longer path.
  void delay(long ns) {
    delayNs = ns;
  }

  private void took(DatagramPacket datagram) {
    LockSupport.parkNanos(delayNs);
    long now = System.nanoTime();
    InetSocketAddress from = (InetSocketAddress) datagram.getSocketAddress();
    ByteBuf content = Unpooled.directBuffer(datagram.getLength());
    content.writeBytes(datagram.getData(), 0, datagram.getLength());
    session.open(content, 0, datagram.getLength(), from, this::inner, now);
    session.openBatchEnd(now);
    content.release();
    session
        .flows()
        .forEach(flow -> {
          if (flow.peer().sentPackets() > 0) {
            told.countDown();
          }
        });
    restored.forEach(inner -> reflect(inner, now));
    restored.clear();
    session.flushBatch(now);
    session.onTick(now);
    session.drain(new Wire(from), now);
  }

  private void inner(FlowState flow, IpPacket packet) {
    byte[] bytes = new byte[packet.length()];
    packet.buffer().getBytes(packet.start(), bytes);
    restored.add(new Inner(bytes, packet.gsoSize(), packet.isChecksumPartial()));
    if (flow != null) {
      serviceClass = flow.serviceClass().name();
    }
  }

  // The exchange of 16-bit words does not change any Internet checksum.
  private void reflect(Inner inner, long now) {
    byte[] packet = inner.packet();
    exchange(packet, IPV4_SOURCE, IPV4_DESTINATION, Integer.BYTES);
    int transport = (packet[0] & 0xF) << 2;
    exchange(packet, transport, transport + Short.BYTES, Short.BYTES);
    ByteBuf buffer = Unpooled.directBuffer(HEADROOM + packet.length);
    buffer.writeZero(HEADROOM).writeBytes(packet);
    session.offer(
        new IpPacket()
            .set(buffer, HEADROOM, packet.length, inner.gsoSize(), inner.checksumPartial()),
        now);
    buffer.release();
  }

  private static void exchange(byte[] in, int a, int b, int bytes) {
    for (int i = 0; i < bytes; i++) {
      byte kept = in[a + i];
      in[a + i] = in[b + i];
      in[b + i] = kept;
    }
  }

  private final class Wire implements DatagramSink {
    private final InetSocketAddress to;

    Wire(InetSocketAddress to) {
      this.to = to;
    }

    @Override
    public boolean isWritable() {
      return true;
    }

    @Override
    public void send(ByteBuf burst, int segmentSize, InetSocketAddress binding, long nowNs) {
      while (burst.isReadable()) {
        byte[] datagram = new byte[Math.min(segmentSize, burst.readableBytes())];
        burst.readBytes(datagram);
        try {
          socket.send(new DatagramPacket(datagram, datagram.length, to));
        } catch (IOException e) {
          if (!socket.isClosed()) { // it dies in the middle of an answer
            throw new UncheckedIOException(e);
          }
        }
      }
      burst.release();
    }
  }

  @Override
  public void close() {
    socket.close();
  }
}
