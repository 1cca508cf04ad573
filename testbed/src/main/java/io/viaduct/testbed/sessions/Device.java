package io.viaduct.testbed.sessions;

import io.netty.buffer.ByteBuf;
import io.viaduct.host.udp.SendResult;
import io.viaduct.host.udp.UdpSocket;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.session.DatagramSink;
import io.viaduct.tunnel.session.InnerPacketSink;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.wire.ServiceClass;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// A device's end of its tunnel. Owned by the generator's data loop.
final class Device implements DatagramSink {
  private static final InnerPacketSink NOWHERE = (flow, packet, ip, length, gso, partial) -> {};

  private final UdpSocket socket;
  private final InetSocketAddress snapt;
  private final TunnelSession session;

  interface Tunnels {
    TunnelSession make(FlowListener flows, PathListener path);
  }

  Device(UdpSocket socket, InetSocketAddress snapt, Tunnels tunnels) {
    this.socket = socket;
    this.snapt = snapt;
    this.session = tunnels.make(FlowListener.SILENT, PathListener.SILENT);
  }

  /// Sends a probe: the first one binds the session, later ones keep it bound.
  void probe(long nowNs) {
    session.probe(Carrier.UDP, nowNs);
    session.drain(this, nowNs);
  }

  /// @return packets that were sent
  int send(ByteBuf packet, int count, long nowNs) {
    FlowState flow = session.flows().lookup(packet, 0, Packets.BYTES);
    if (flow != null && !flow.isClassified()) {
      flow.classify(ServiceClass.HT_HD, 0);
    }
    for (int i = 0; i < count; i++) {
      session.offer(packet, 0, Packets.BYTES, 0, false, flow, nowNs);
    }
    session.flushBatch(nowNs);
    if (nowNs >= session.nextDeadlineNs()) {
      session.onTick(nowNs);
    }
    session.drain(this, nowNs);
    return count;
  }

  /// Ends the waiting of what waits; the caller has nothing to send any more.
  void tick(long nowNs) {
    session.onTick(nowNs);
    session.drain(this, nowNs);
  }

  void receive(ByteBuf content, InetSocketAddress from, long nowNs) {
    session.open(content, content.readerIndex(), content.readableBytes(), from, NOWHERE, nowNs);
    session.openBatchEnd(nowNs);
  }

  @Override
  public boolean writable() {
    return socket.isWritable();
  }

  @Override
  public void send(ByteBuf burst, int segmentSize, @Nullable InetSocketAddress to) {
    SendResult unused = socket.send(burst, segmentSize, snapt); // what is lost is not counted there
    burst.release();
  }

  void close() {
    session.close();
  }
}
