package io.viaduct.snapt.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.viaduct.host.udp.DatagramReader;
import io.viaduct.host.udp.UdpSettings;
import io.viaduct.host.udp.UdpSockets;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.restore.InnerPacketSink;
import io.viaduct.tunnel.session.DatagramSink;
import io.viaduct.tunnel.session.LoopMemory;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.terms.TunnelRole;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.terms.TunnelTerms;
import io.viaduct.tunnel.wire.InternetChecksum;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.ServiceClass;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The device of a [WarmUp]: sends packets of TCP and UDP flows until enough have come back. All
/// state belongs to its loop.
final class WarmUpDevice
    implements DatagramReader, InnerPacketSink, DatagramSink, FlowListener, AutoCloseable {
  private static final int FLOWS = 48;
  private static final int BURST = 32;
  private static final long TICK_MS = 5;
  private static final int TCP_HEADER = 20;
  private static final int[] PAYLOAD_BYTES = {64, 256, 1_000};

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("warm-up-device", true), EpollIoHandler.newFactory());
  private final IoEventLoop loop = (IoEventLoop) group.next();
  private final LoopMemory memory = new LoopMemory(ByteBufAllocator.DEFAULT, new SecureRandom());
  private final IpPacket packet = new IpPacket();
  private final TunnelSession session;
  private final UdpSockets sockets;
  private final InetSocketAddress snapt;
  private final byte[] inner;
  private final CountDownLatch done = new CountDownLatch(1);
  private final int[] sequences = new int[FLOWS];
  private int enough = Integer.MAX_VALUE;
  private int next;
  private int returnedInBatch;
  private volatile int returned; // written by the loop

  /// @param inner IPv4 address of the device in its tunnel
  WarmUpDevice(TunnelTerms terms, InetSocketAddress snapt, byte[] inner) throws SocketException {
    this.snapt = snapt;
    this.inner = inner.clone();
    session =
        new TunnelSession(
            TunnelRole.AGENT,
            terms,
            TunnelSettings.defaults(),
            memory,
            this,
            PathListener.SILENT,
            System.nanoTime());
    terms.secret().wipe();
    sockets =
        UdpSockets.bind(
            List.of(loop),
            UdpSettings.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
            _ -> this);
  }

  /// Carries until so many packets have come back, or the time is over.
  ///
  /// @return the packets that came back
  long carry(int packets, Duration longest) {
    loop.execute(() -> {
      enough = packets;
      session.probe(0, session.carrier(), System.nanoTime());
    });
    var ticks = loop.scheduleWithFixedDelay(this::tick, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
    try {
      boolean isEnough = done.await(longest.toMillis(), TimeUnit.MILLISECONDS);
      return isEnough ? packets : returned;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return returned;
    } finally {
      ticks.cancel(false);
    }
  }

  // A burst per tick leaves most of the time to the compiler, and to whatever else the host does.
  private void tick() {
    session.onTick(System.nanoTime());
    offer(BURST);
  }

  private void offer(int count) {
    long nowNs = System.nanoTime();
    for (int i = 0; i < count; i++) {
      int flow = next++ % FLOWS;
      ByteBuf bytes = build(flow, PAYLOAD_BYTES[next % PAYLOAD_BYTES.length]);
      session.offer(packet.set(bytes, 0, bytes.readableBytes(), 0, false), nowNs);
      bytes.release();
    }
    session.flushBatch(nowNs);
    session.drain(this, nowNs);
  }

  // Every third flow is UDP, the others are TCP.
  private ByteBuf build(int flow, int payload) {
    boolean isUdp = flow % 3 == 0;
    int header = isUdp ? 8 : TCP_HEADER;
    int transport = IpFields.IPV4_HEADER;
    int length = transport + header + payload;
    ByteBuf bytes = Unpooled.directBuffer(length).writeZero(length);
    bytes.setShort(0, 0x4500).setShort(2, length).setShort(6, 0x4000); // don't fragment
    bytes.setByte(8, 64).setByte(9, isUdp ? IpFields.UDP : IpFields.TCP);
    bytes.setBytes(12, inner).setInt(16, 0xC6336400 | flow + 1); // 198.51.100.0/24, RFC 5737
    bytes.setShort(10, InternetChecksum.of(InternetChecksum.sum(bytes, 0, transport, 0)));
    bytes.setShort(transport, 20_000 + flow).setShort(transport + 2, 443);
    if (isUdp) {
      bytes.setShort(transport + 4, header + payload);
    } else {
      bytes.setInt(transport + 4, sequences[flow]).setInt(transport + 8, sequences[flow]);
      bytes.setShort(transport + 12, 0x5018).setShort(transport + 14, 0xFFFF); // PSH, ACK
      sequences[flow] += payload;
    }
    for (int i = 0; i < payload; i += Long.BYTES) {
      bytes.setLong(transport + header + i, (long) next * i * 0x9E37_79B9_7F4AL);
    }
    int field = transport + (isUdp ? 6 : 16);
    long pseudo = InternetChecksum.sum(bytes, 12, 8, bytes.getByte(9) + (long) (header + payload));
    bytes.setShort(field, InternetChecksum.fold(pseudo));
    InternetChecksum.complete(bytes, transport, header + payload, field);
    return bytes;
  }

  @Override
  public void opened(FlowState flow) {
    flow.classify(ServiceClass.of(flow.id() % ServiceClass.COUNT), 0);
  }

  @Override
  public void datagram(ByteBuf content, @Nullable InetSocketAddress from) {
    session.open(
        content, content.readerIndex(), content.readableBytes(), from, this, System.nanoTime());
  }

  @Override
  public void packet(@Nullable FlowState flow, IpPacket arrived) {
    returnedInBatch++;
  }

  @Override
  public void batchEnd() {
    session.openBatchEnd(System.nanoTime());
    int count = returnedInBatch;
    returnedInBatch = 0;
    returned += count;
    if (returned >= enough) {
      done.countDown();
    }
  }

  @Override
  public boolean isWritable() {
    return true;
  }

  @Override
  public void send(ByteBuf burst, int segmentSize, @Nullable InetSocketAddress to, long nowNs) {
    sockets.sockets().getFirst().send(burst, segmentSize, snapt);
    burst.release();
  }

  @Override
  public void close() {
    sockets.close();
    loop.submit(
            () -> {
              session.close();
              memory.close();
            })
        .awaitUninterruptibly();
    group.shutdownGracefully(0, 100, TimeUnit.MILLISECONDS);
  }
}
