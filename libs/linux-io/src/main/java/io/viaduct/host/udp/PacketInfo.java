package io.viaduct.host.udp;

import io.viaduct.host.linux.Sockets;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// The control message with the local address of a datagram (ip(7), RFC 3542 section 6). A received
/// one has the destination of the datagram, a sent one sets its source.
///
///     struct in_pktinfo                         struct in6_pktinfo
///     |0         |4             |8           |  |0        |16        |
///     |interface |local address |destination |  |address  |interface |
///
/// Addresses are big-endian. Sockets of AF_INET6 use the second one for mapped IPv4 addresses too.
enum PacketInfo {
  IPV4(Sockets.SOL_IP, Sockets.IP_PKTINFO, Sockets.IP_PKTINFO, 3 * Integer.BYTES),
  IPV6(
      Sockets.SOL_IPV6,
      Sockets.IPV6_PKTINFO,
      Sockets.IPV6_RECVPKTINFO,
      2 * Long.BYTES + Integer.BYTES);

  /// Most bytes of the data.
  static final int BYTES_MAX = 2 * Long.BYTES + Integer.BYTES;

  private static final ValueLayout.OfInt BIG_INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfLong BIG_LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  final int level;
  final int type;

  /// The option that lets the kernel add the message to each receive.
  final int option;

  /// Bytes of the data.
  final int bytes;

  PacketInfo(int level, int type, int option, int bytes) {
    this.level = level;
    this.type = type;
    this.option = option;
    this.bytes = bytes;
  }

  /// Returns the upper half of the local address.
  long high(MemorySegment from, long at) {
    return this == IPV4 ? 0 : from.get(BIG_LONG, at);
  }

  /// Returns the lower half of the local address.
  long low(MemorySegment from, long at) {
    return this == IPV4
        ? PeerAddresses.mapped(from.get(BIG_INT, at + Integer.BYTES))
        : from.get(BIG_LONG, at + Long.BYTES);
  }

  /// Writes the data with a local address. The route selects the interface.
  void write(MemorySegment to, long at, long high, long low) {
    to.asSlice(at, bytes).fill((byte) 0);
    if (this == IPV4) {
      to.set(BIG_INT, at + Integer.BYTES, (int) low);
    } else {
      to.set(BIG_LONG, at, high);
      to.set(BIG_LONG, at + Long.BYTES, low);
    }
  }
}
