package io.viaduct.tunnel.terms;

import io.viaduct.tunnel.compound.Record;
import io.viaduct.tunnel.key.Sealer;
import java.net.Inet6Address;
import java.net.InetSocketAddress;

/// The outer headers of the datagrams on one path, and the packet sizes that follow from them. They
/// belong to the path and not to the session: a device moves between IPv4 and IPv6.
public enum OuterHeader {
  /// 20 bytes of IPv4 and 8 of UDP.
  IPV4(28),
  /// 40 bytes of IPv6 and 8 of UDP.
  IPV6(48);

  private final int bytes;

  OuterHeader(int bytes) {
    this.bytes = bytes;
  }

  /// Returns the headers of datagrams from or to this address.
  public static OuterHeader of(InetSocketAddress address) {
    return address.getAddress() instanceof Inet6Address ? IPV6 : IPV4;
  }

  /// Returns the bytes of the outer IP and UDP headers of one datagram.
  public int bytes() {
    return bytes;
  }

  /// Returns the largest inner packet that always fits into an outer IP packet of this size.
  public int innerMtu(int size) {
    return size - bytes - TunnelLimits.INNER_PACKET_OVERHEAD;
  }

  /// Returns the largest body of a compound in an outer IP packet of this size. A stamp block
  /// always fits in front of it.
  public int bodyBytesMax(int size) {
    return size - bodyOverhead();
  }

  /// Returns the body size at which a compound closes that may fill this percentage of the packet.
  public int bodyBytesTarget(int size, int percent) {
    return size * percent / 100 - bodyOverhead();
  }

  private int bodyOverhead() {
    return bytes + Sealer.OVERHEAD + Record.STAMP_BLOCK_BYTES;
  }
}
