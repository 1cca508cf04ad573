package io.viaduct.testbed.sessions;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.restore.InnerPacketSink;
import io.viaduct.tunnel.session.DatagramSink;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.Verdict;
import java.net.InetSocketAddress;

/// A device's end of its tunnel. Only the generator's data loop uses it.
final class Device {
  private static final InnerPacketSink NOWHERE = (flow, packet) -> {};

  private final DatagramSink line;
  private final TunnelSession session;
  private final IpPacket offered = new IpPacket();

  interface Tunnels {
    TunnelSession make(FlowListener flows, PathListener path);
  }

  Device(DatagramSink line, Tunnels tunnels) {
    this.line = line;
    this.session = tunnels.make(FlowListener.SILENT, PathListener.SILENT);
  }

  /// Sends probes. The first probe binds the session, later ones keep it bound.
  void probe(int count, long nowNs) {
    for (int i = 0; i < count; i++) {
      session.probe(0, Carrier.UDP, nowNs);
    }
    session.drain(line, nowNs);
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
    session.drain(line, nowNs);
    return count;
  }

  /// Sends waiting packets, because the device has no more packets of its own.
  void tick(long nowNs) {
    session.onTick(nowNs);
    session.drain(line, nowNs);
  }

  /// Takes a datagram of the SNAPT. @return the verdict on it
  Verdict receive(ByteBuf content, InetSocketAddress from, long nowNs) {
    int length = content.readableBytes();
    Verdict verdict = session.open(content, content.readerIndex(), length, from, NOWHERE, nowNs);
    session.openBatchEnd(nowNs);
    return verdict;
  }

  void close() {
    session.close();
  }
}
