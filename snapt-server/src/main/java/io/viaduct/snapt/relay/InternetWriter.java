package io.viaduct.snapt.relay;

import io.viaduct.host.tun.VirtioNetHeader;
import io.viaduct.host.tun.WriteResult;
import io.viaduct.snapt.napt.AddressTranslation;
import io.viaduct.tunnel.wire.IpPacket;
import org.jspecify.annotations.Nullable;

/// Writes translated packets to the TUN queue of one event loop, with the work in front that is
/// left to do on each. Owned by that loop.
final class InternetWriter {
  private final TrafficCounters counters;
  private final VirtioNetHeader header = new VirtioNetHeader();
  private @Nullable InternetPort port;

  InternetWriter(TrafficCounters counters) {
    this.counters = counters;
  }

  /// Sets the queue; once, before the first packet.
  void attach(InternetPort to) {
    port = to;
  }

  /// Writes a packet.
  ///
  /// @param packet has headroom for the virtio-net header
  /// @param of the translation that has looked at the packet last
  /// @return false if it was dropped, which is counted
  boolean write(IpPacket packet, AddressTranslation of) {
    InternetPort to = port;
    if (to == null) {
      return false;
    }
    int start = packet.start() - VirtioNetHeader.LENGTH;
    describe(packet, start, of);
    return write(to, packet, start);
  }

  /// Writes a packet back that the queue has just been read for: its virtio-net header stays.
  ///
  /// @return false if it was dropped, which is counted
  boolean writeBack(IpPacket packet) {
    InternetPort to = port;
    return to != null && write(to, packet, packet.start() - VirtioNetHeader.LENGTH);
  }

  private boolean write(InternetPort to, IpPacket packet, int start) {
    WriteResult result = to.write(packet.buffer(), start, packet.length());
    if (result != WriteResult.WRITTEN) {
      counters.count(
          result == WriteResult.WOULD_BLOCK ? Drop.TUN_BUSY : Drop.TUN_REFUSED,
          Segments.of(packet).packets());
    }
    return result == WriteResult.WRITTEN;
  }

  private void describe(IpPacket packet, int start, AddressTranslation of) {
    header.wrap(packet.buffer(), start).clear();
    if (packet.isChecksumPartial()) {
      header
          .flags(VirtioNetHeader.NEEDS_CHECKSUM)
          .checksumStart(of.transportOffset())
          .checksumOffset(of.checksumOffset());
    }
    if (packet.gsoSize() > 0) {
      int tcp = of.isIpv6() ? VirtioNetHeader.GSO_TCPV6 : VirtioNetHeader.GSO_TCPV4;
      header
          .gsoType(of.isUdp() ? VirtioNetHeader.GSO_UDP_L4 : tcp)
          .gsoSize(packet.gsoSize())
          .headerLength(of.transportOffset() + of.transportHeaderLength(packet.buffer()));
    }
  }
}
