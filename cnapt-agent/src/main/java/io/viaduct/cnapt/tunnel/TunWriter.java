package io.viaduct.cnapt.tunnel;

import io.viaduct.host.tun.TunQueue;
import io.viaduct.host.tun.VirtioNetHeader;
import io.viaduct.host.tun.WriteResult;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.restore.InnerPacketSink;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;
import org.jspecify.annotations.Nullable;

/// Writes restored packets to the device's kernel. The virtio-net header before each packet asks
/// the kernel to segment a superpacket or to complete a checksum. Owner: the data path's event
/// loop.
final class TunWriter implements InnerPacketSink {
  private final TunQueue queue;
  private final VirtioNetHeader header = new VirtioNetHeader();
  private long notWritten;
  private boolean delivered;

  TunWriter(TunQueue queue) {
    this.queue = queue;
  }

  /// Returns the number of packets that the kernel did not accept.
  long notWritten() {
    return notWritten;
  }

  /// Returns true if the kernel has accepted a packet since the last call.
  boolean takeDelivered() {
    boolean was = delivered;
    delivered = false;
    return was;
  }

  @Override
  public void packet(@Nullable FlowState flow, IpPacket packet) {
    int headerOffset = packet.start() - VirtioNetHeader.LENGTH;
    header.wrap(packet.buffer(), headerOffset).clear();
    if (packet.gsoSize() > 0 || packet.isChecksumPartial()) {
      describe(packet);
    }
    if (queue.write(packet.buffer(), headerOffset, packet.length()) == WriteResult.WRITTEN) {
      delivered = true;
    } else {
      notWritten++;
    }
  }

  private void describe(IpPacket packet) {
    int transport = packet.transport() - packet.start();
    header
        .flags(VirtioNetHeader.NEEDS_CHECKSUM)
        .checksumStart(transport)
        .checksumOffset(packet.checksumOffset());
    if (packet.gsoSize() > 0) {
      int tcp = packet.isIpv4() ? VirtioNetHeader.GSO_TCPV4 : VirtioNetHeader.GSO_TCPV6;
      header
          .gsoType(packet.protocol() == IpFields.TCP ? tcp : VirtioNetHeader.GSO_UDP_L4)
          .gsoSize(packet.gsoSize())
          .headerLength(transport + packet.transportHeaderBytes());
    }
  }
}
