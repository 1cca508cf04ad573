package io.viaduct.testbed.sessions;

import io.netty.buffer.ByteBuf;
import io.viaduct.host.udp.SendResult;
import io.viaduct.host.udp.UdpSocket;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.restore.InnerPacketSink;
import io.viaduct.tunnel.session.DatagramSink;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.wire.IpPacket;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// A device's end of its tunnel. Only the generator's data loop uses it.
final class Device implements DatagramSink {
  private static final InnerPacketSink NOWHERE = (flow, packet) -> {};

  private final UdpSocket socket;
  private final InetSocketAddress snapt;
  private final TunnelSession session;
  private final IpPacket offered = new IpPacket();

  interface Tunnels {
    TunnelSession make(FlowListener flows, PathListener path);
  }

  Device(UdpSocket socket, InetSocketAddress snapt, Tunnels tunnels) {
    this.socket = socket;
    this.snapt = snapt;
    this.session = tunnels.make(FlowListener.SILENT, PathListener.SILENT);
  }

  /// Sends a probe. The first probe binds the session, later ones keep it bound.
  void probe(long nowNs) {
    session.probe(0, Carrier.UDP, nowNs);
    session.drain(this, nowNs);
  }

  /// Sends copies of a packet and returns their number.
  int send(ByteBuf packet, int count, long nowNs) {
    offered.set(packet, 0, Packets.BYTES);
    for (int i = 0; i < count; i++) {
      session.offer(offered, nowNs);
    }
    session.flushBatch(nowNs);
    if (nowNs >= session.nextDeadlineNs()) {
      session.onTick(nowNs);
    }
    session.drain(this, nowNs);
    return count;
  }

  /// Sends waiting packets, because the device has no more packets of its own.
  void tick(long nowNs) {
    session.onTick(nowNs);
    session.drain(this, nowNs);
  }

  void receive(ByteBuf content, InetSocketAddress from, long nowNs) {
    session.open(content, content.readerIndex(), content.readableBytes(), from, NOWHERE, nowNs);
    session.openBatchEnd(nowNs);
  }

  @Override
  public boolean isWritable() {
    return socket.isWritable();
  }

  @Override
  public void send(ByteBuf burst, int segmentSize, @Nullable InetSocketAddress to, long nowNs) {
    SendResult unused = socket.send(burst, segmentSize, snapt); // the caller does not count losses
    burst.release();
  }

  void close() {
    session.close();
  }
}
