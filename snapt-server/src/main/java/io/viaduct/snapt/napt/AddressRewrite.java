package io.viaduct.snapt.napt;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.wire.InternetChecksum;
import io.viaduct.tunnel.wire.IpFields;

/// Writes one address of a packet's IP header, in place, and corrects the checksums that cover it.
///
/// Checksums are updated by the difference, never recomputed (RFC 1624 equation 3). A corrupt
/// packet thus keeps a wrong checksum.
final class AddressRewrite {
  private static final int UDP_CHECKSUM_ABSENT = 0;

  private AddressRewrite() {}

  /// @param of the headers of the packet
  /// @param address index of the address
  /// @param high upper 64 bits of the new address, 0 for IPv4
  /// @param low lower 64 bits; an IPv4 address in the lowest 32
  /// @param partial true if the transport checksum covers only the pseudo-header yet
  /// @return the change of the one's complement sum that the new address causes
  static int write(ByteBuf packet, IpHeader of, int address, long high, long low, boolean partial) {
    int bytes = of.isIpv6() ? 16 : 4;
    long before = InternetChecksum.sum(packet, address, bytes, 0);
    if (of.isIpv6()) {
      packet.setLong(address, high).setLong(address + Long.BYTES, low);
    } else {
      packet.setInt(address, (int) low);
    }
    int change = InternetChecksum.change(before, InternetChecksum.sum(packet, address, bytes, 0));
    if (!of.isIpv6()) {
      int checksum = of.start() + IpFields.IPV4_CHECKSUM;
      packet.setShort(
          checksum, InternetChecksum.corrected(packet.getUnsignedShort(checksum), change));
    }
    correctTransport(packet, of, change, partial);
    return change;
  }

  private static void correctTransport(ByteBuf packet, IpHeader of, int change, boolean partial) {
    int index = of.addressedChecksum();
    if (index < 0) {
      return;
    }
    int checksum = packet.getUnsignedShort(index);
    if (partial) {
      packet.setShort(index, InternetChecksum.fold(checksum + change));
      return;
    }
    boolean udp = of.protocol() == IpFields.UDP;
    if (udp && checksum == UDP_CHECKSUM_ABSENT) {
      return;
    }
    int corrected = InternetChecksum.corrected(checksum, change);
    packet.setShort(index, udp && corrected == UDP_CHECKSUM_ABSENT ? 0xffff : corrected);
  }
}
