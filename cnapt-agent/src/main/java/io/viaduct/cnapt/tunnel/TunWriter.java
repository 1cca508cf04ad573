package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.viaduct.host.tun.TunQueue;
import io.viaduct.host.tun.VirtioNetHeader;
import io.viaduct.host.tun.WriteResult;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.session.InnerPacketSink;
import org.jspecify.annotations.Nullable;

/// Gives restored packets to the device's kernel, with what is left to do in front of each: cut a
/// superpacket, complete a checksum. Owner: the data path's event loop.
final class TunWriter implements InnerPacketSink {
  private static final int IPV6_HEADER = 40;
  private static final int IPV4_PROTOCOL = 9;
  private static final int IPV6_NEXT_HEADER = 6;
  private static final int TCP_OFFSET = 12;
  private static final int TCP_CHECKSUM = 16;
  private static final int UDP_CHECKSUM = 6;
  private static final int UDP_HEADER = 8;

  private final TunQueue queue;
  private final VirtioNetHeader header = new VirtioNetHeader();
  private long notWritten;
  private boolean delivered;

  TunWriter(TunQueue queue) {
    this.queue = queue;
  }

  /// Packets that the kernel did not take.
  long notWritten() {
    return notWritten;
  }

  /// Whether the kernel took any since this was asked last.
  boolean takeDelivered() {
    boolean was = delivered;
    delivered = false;
    return was;
  }

  @Override
  public void packet(
      @Nullable FlowState flow,
      ByteBuf packet,
      int ipOffset,
      int length,
      int gsoSize,
      boolean checksumPartial) {
    int headerOffset = ipOffset - VirtioNetHeader.LENGTH;
    header.wrap(packet, headerOffset).clear();
    if (gsoSize > 0 || checksumPartial) {
      describe(packet, ipOffset, gsoSize);
    }
    if (queue.write(packet, headerOffset, length) == WriteResult.WRITTEN) {
      delivered = true;
    } else {
      notWritten++;
    }
  }

  private void describe(ByteBuf packet, int ipOffset, int gsoSize) {
    boolean ipv4 = packet.getByte(ipOffset) >>> 4 == 4;
    int transport = ipv4 ? (packet.getByte(ipOffset) & 0xF) << 2 : IPV6_HEADER;
    int protocol = packet.getByte(ipOffset + (ipv4 ? IPV4_PROTOCOL : IPV6_NEXT_HEADER));
    boolean tcp = protocol == FlowKey.TCP;
    header
        .flags(VirtioNetHeader.NEEDS_CHECKSUM)
        .checksumStart(transport)
        .checksumOffset(tcp ? TCP_CHECKSUM : UDP_CHECKSUM);
    if (gsoSize > 0) {
      int type =
          !tcp
              ? VirtioNetHeader.GSO_UDP_L4
              : ipv4 ? VirtioNetHeader.GSO_TCPV4 : VirtioNetHeader.GSO_TCPV6;
      int transportBytes =
          tcp ? (packet.getByte(ipOffset + transport + TCP_OFFSET) >>> 4 & 0xF) << 2 : UDP_HEADER;
      header.gsoType(type).gsoSize(gsoSize).headerLength(transport + transportBytes);
    }
  }
}
