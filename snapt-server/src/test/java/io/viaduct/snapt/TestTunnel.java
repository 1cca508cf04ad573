package io.viaduct.snapt;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.viaduct.host.tun.TunQueue;
import io.viaduct.host.tun.TunReader;
import io.viaduct.host.tun.VirtioNetHeader;
import io.viaduct.host.udp.DatagramReader;
import io.viaduct.host.udp.UdpSettings;
import io.viaduct.host.udp.UdpSockets;
import io.viaduct.tunnel.control.ControlLine;
import io.viaduct.tunnel.control.v1.Welcome;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.pacing.Pacing;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.restore.InnerPacketSink;
import io.viaduct.tunnel.session.DatagramSink;
import io.viaduct.tunnel.session.LoopMemory;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.terms.TunnelRole;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.terms.TunnelTerms;
import io.viaduct.tunnel.wire.InternetChecksum;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The device's end of a data path: a real TunnelSession over a real UDP socket, on its own loop.
/// Inner packets come from the test or from a TUN queue.
public final class TestTunnel implements DatagramReader, InnerPacketSink, AutoCloseable {
  /// The sent datagrams, for tests that replay or alter them.
  public final BlockingQueue<byte[]> sent = new LinkedBlockingQueue<>();

  /// The received inner packets, unless there is a TUN queue.
  public final BlockingQueue<byte[]> arrived = new LinkedBlockingQueue<>();

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("tunnel", true), EpollIoHandler.newFactory());
  private final IoEventLoop loop = (IoEventLoop) group.next();
  private final LoopMemory memory = new LoopMemory(ByteBufAllocator.DEFAULT, new SecureRandom());
  private final VirtioNetHeader header = new VirtioNetHeader();
  private volatile InetSocketAddress snapt;
  private volatile @Nullable InetSocketAddress letIn;
  private final TunnelSession session;
  private final DatagramSink sink =
      new DatagramSink() {
        @Override
        public boolean isWritable() {
          return true;
        }

        @Override
        public void send(
            ByteBuf burst, int segmentSize, @Nullable InetSocketAddress to, long nowNs) {
          sendBurst(burst, segmentSize);
        }
      };
  private volatile long accepted; // both written by the loop
  private volatile long refused;
  private UdpSockets sockets;
  private @Nullable TunQueue tun;
  public volatile ServiceClass serviceClass = ServiceClass.LT_LD;

  public TestTunnel(Welcome welcome, InetSocketAddress snapt, InetSocketAddress local)
      throws Exception {
    this.snapt = snapt;
    session =
        new TunnelSession(
            TunnelRole.AGENT,
            new TunnelTerms(
                AeadAlgorithm.valueOf(welcome.getAead().name()),
                SessionSecret.of(welcome.getSecret().toByteArray()),
                welcome.getReceiverIndex(),
                limits(welcome)),
            patient(),
            memory,
            new FlowListener() {
              @Override
              public void opened(FlowState flow) {
                flow.classify(serviceClass, 1);
              }
            },
            PathListener.SILENT,
            System.nanoTime());
    sockets = UdpSockets.bind(List.of(loop), UdpSettings.at(local), _ -> this);
    loop.scheduleAtFixedRate(this::tick, 5, 5, TimeUnit.MILLISECONDS);
    loop.scheduleAtFixedRate(this::probe, 0, 500, TimeUnit.MILLISECONDS);
  }

  /// Returns settings that drop nothing by full queues or pacing, because a busy machine processes
  /// the packets of a test late.
  private static TunnelSettings patient() {
    TunnelSettings usual = TunnelSettings.defaults();
    return new TunnelSettings(
        usual.context(),
        usual.compoundPercent(),
        usual.classDeadlines(),
        Collections.nCopies(ServiceClass.COUNT, 1 << 24),
        usual.floorPercent(),
        usual.scheduling(),
        Pacing.OFF,
        usual.flowsMax(),
        usual.udpIdle(),
        usual.tcpIdle(),
        usual.icmpIdle(),
        usual.historyBytes());
  }

  public static int innerMtu(Welcome welcome) {
    return limits(welcome).tunMtu();
  }

  private static TunnelLimits limits(Welcome welcome) {
    return new TunnelLimits(welcome.getPathMtu(), welcome.getHistoryBytes());
  }

  /// Moves packets between a TUN queue and the tunnel from now on.
  public void attach(TunQueue queue) {
    tun = queue;
    int bytes = VirtioNetHeader.LENGTH + 65_535;
    queue.start(
        loop,
        ByteBufAllocator.DEFAULT.directBuffer(bytes, bytes),
        0,
        new TunReader() {
          @Override
          public void packet(ByteBuf buffer, int headerOffset, int length) {
            header.wrap(buffer, headerOffset);
            offer(
                buffer,
                headerOffset + VirtioNetHeader.LENGTH,
                length,
                header.gsoType() == VirtioNetHeader.GSO_NONE ? 0 : header.gsoSize(),
                header.needsChecksum());
          }

          @Override
          public void batchEnd() {
            flush();
          }
        });
  }

  /// Moves the device: another socket with the same keys.
  public void move(InetSocketAddress local) throws Exception {
    UdpSockets before = sockets;
    sockets = UdpSockets.bind(List.of(loop), UdpSettings.at(local), _ -> this);
    before.close();
    loop.submit(this::probe).sync();
  }

  /// Carries all datagrams in the control connection from now on.
  public void carryBy(TestControl control) {
    control.datagrams =
        datagram ->
            loop.execute(() -> {
              datagram(datagram, null);
              batchEnd();
              datagram.release();
            });
    loop.execute(() -> {
      session.control(new ControlLine(control::write, ByteBufAllocator.DEFAULT, loop, this::flush));
      session.carryBy(Carrier.CONTROL);
      flush();
    });
  }

  /// Carries all datagrams by UDP again.
  public void carryByUdp() {
    loop.execute(() -> {
      session.carryBy(Carrier.UDP);
      flush();
    });
  }

  /// Sends the datagrams to another address from now on.
  public void detour(InetSocketAddress to) {
    snapt = to;
  }

  /// Hears one address only from now on, as behind a NAT that drops what comes from others.
  public void letIn(InetSocketAddress only) {
    letIn = only;
  }

  public InetSocketAddress localAddress() {
    return sockets.address();
  }

  /// Sends one complete inner packet.
  public void send(byte[] packet) {
    loop.execute(() -> {
      ByteBuf buffer = Unpooled.directBuffer().writeBytes(packet);
      offer(buffer, 0, packet.length, 0, false);
      flush();
      buffer.release();
    });
  }

  private void offer(ByteBuf buffer, int ip, int length, int gsoSize, boolean partial) {
    session.offer(new IpPacket().set(buffer, ip, length, gsoSize, partial), System.nanoTime());
  }

  private void flush() {
    session.flushBatch(System.nanoTime());
    session.drain(sink, System.nanoTime());
  }

  private void tick() {
    session.onTick(System.nanoTime());
    session.drain(sink, System.nanoTime());
  }

  private void probe() {
    session.probe(0, session.carrier(), System.nanoTime());
    session.drain(sink, System.nanoTime());
  }

  /// Sends probes as one burst.
  public void probes(int count) {
    loop.execute(() -> {
      for (int i = 0; i < count; i++) {
        session.probe(0, session.carrier(), System.nanoTime());
      }
      session.drain(sink, System.nanoTime());
    });
  }

  /// Sends datagrams as they are, from the socket of the device.
  public void strike(List<byte[]> datagrams) {
    loop.execute(() -> {
      for (byte[] each : datagrams) {
        ByteBuf buffer = Unpooled.directBuffer().writeBytes(each);
        socketSend(buffer, each.length);
        buffer.release();
      }
    });
  }

  /// Returns the number of datagrams that were authentic and answered something.
  public long accepted() {
    return accepted;
  }

  /// Returns the number of datagrams with any other verdict.
  public long refused() {
    return refused;
  }

  private void socketSend(ByteBuf burst, int segmentSize) {
    sockets.sockets().getFirst().send(burst, segmentSize, snapt);
  }

  private void sendBurst(ByteBuf burst, int segmentSize) {
    for (int at = 0; at < burst.readableBytes(); at += segmentSize) {
      int length = Math.min(segmentSize, burst.readableBytes() - at);
      if (sent.size() < 1_000) {
        sent.add(ByteBufUtil.getBytes(burst, burst.readerIndex() + at, length));
      }
    }
    socketSend(burst, segmentSize);
    burst.release();
  }

  @Override
  public void datagram(ByteBuf content, @Nullable InetSocketAddress from) {
    InetSocketAddress only = letIn;
    if (only != null && !only.equals(from)) {
      return;
    }
    Verdict verdict =
        session.open(
            content, content.readerIndex(), content.readableBytes(), from, this, System.nanoTime());
    if (verdict == Verdict.ACCEPTED) {
      accepted++;
    } else {
      refused++;
    }
  }

  @Override
  public void batchEnd() {
    session.openBatchEnd(System.nanoTime());
    session.drain(sink, System.nanoTime());
  }

  @Override
  public void packet(@Nullable FlowState flow, IpPacket packet) {
    TunQueue queue = tun;
    ByteBuf buffer = packet.buffer();
    if (queue == null) {
      if (packet.isChecksumPartial()) {
        complete(packet);
      }
      arrived.add(ByteBufUtil.getBytes(buffer, packet.start(), packet.length()));
      return;
    }
    int start = packet.start() - VirtioNetHeader.LENGTH;
    int transport = packet.transport() - packet.start();
    header.wrap(buffer, start).clear();
    if (packet.isChecksumPartial()) {
      header
          .flags(VirtioNetHeader.NEEDS_CHECKSUM)
          .checksumStart(transport)
          .checksumOffset(packet.checksumOffset());
    }
    if (packet.gsoSize() > 0) {
      header
          .gsoType(packet.isIpv4() ? VirtioNetHeader.GSO_TCPV4 : VirtioNetHeader.GSO_TCPV6)
          .gsoSize(packet.gsoSize())
          .headerLength(transport + packet.transportHeaderBytes());
    }
    queue.write(buffer, start, packet.length());
  }

  /// Completes a partial checksum, like a kernel.
  public static void complete(IpPacket packet) {
    int transport = packet.transport();
    int field = transport + PacketText.checksumIndex(packet.protocol());
    InternetChecksum.complete(packet.buffer(), transport, packet.end() - transport, field);
  }

  @Override
  public void close() {
    sockets.close();
    loop.submit(session::close).awaitUninterruptibly();
    loop.submit(memory::close).awaitUninterruptibly();
    if (tun != null) {
      tun.close();
    }
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
