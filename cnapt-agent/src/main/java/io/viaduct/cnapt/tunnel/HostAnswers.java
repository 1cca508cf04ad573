package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.viaduct.host.tun.VirtioNetHeader;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.restore.InnerPacketSink;
import io.viaduct.tunnel.wire.IcmpError;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.TcpReset;

/// Tells applications of this host that a packet or a flow is refused: TCP by a reset, all others
/// by ICMP "administratively prohibited", as if the remote host had said so. Owner: the data path's
/// event loop; allocates nothing.
///
/// A flow is told by the answer to the packet that its socket would send next ([NextPacket]), so a
/// socket that only waits is told too.
final class HostAnswers {
  private final InnerPacketSink toHost;
  private final IcmpError icmpOfPackets = new IcmpError();
  private final IcmpError icmpOfFlows = IcmpError.unlimited();
  private final ByteBuf answer =
      ByteBufAllocator.DEFAULT.directBuffer(VirtioNetHeader.LENGTH + IcmpError.BYTES_MAX);
  private final IpPacket packet = new IpPacket();
  private final NextPacket next = new NextPacket();

  HostAnswers(InnerPacketSink toHost) {
    this.toHost = toHost;
  }

  /// Answers a packet of this host.
  void refuse(IpPacket refused, long nowNs) {
    refuse(refused, icmpOfPackets, nowNs);
  }

  /// Tells the socket of a flow that the flow is over.
  ///
  /// @param tcp what its socket has sent last
  void end(FlowState flow, TcpSide tcp, long nowNs) {
    refuse(next.of(flow, tcp), icmpOfFlows, nowNs);
  }

  private void refuse(IpPacket refused, IcmpError icmp, long nowNs) {
    int at = VirtioNetHeader.LENGTH;
    int destination =
        refused.start()
            + (refused.isIpv4() ? IpFields.IPV4_DESTINATION : IpFields.IPV6_DESTINATION);
    int bytes =
        refused.protocol() == IpFields.TCP
            ? TcpReset.answer(refused, answer, at)
            : icmp.prohibited(refused, refused.buffer(), destination, answer, at, nowNs);
    if (bytes > 0) {
      toHost.packet(null, packet.set(answer, at, bytes));
    }
  }

  /// Releases the memory.
  void close() {
    answer.release();
    next.close();
  }
}
