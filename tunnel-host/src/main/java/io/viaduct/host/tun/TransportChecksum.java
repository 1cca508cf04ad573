package io.viaduct.host.tun;

import io.netty.buffer.ByteBuf;

/// The checksums of TCP, UDP and ICMP in software, for packets that a network card would have
/// finished or checked. No state.
public final class TransportChecksum {
  private static final int ICMP = 1;
  private static final int TCP = 6;
  private static final int UDP = 17;
  private static final int ICMPV6 = 58;

  private static final int IPV4_LENGTH_MIN = 20;
  private static final int IPV6_LENGTH = 40;
  private static final int UDP_CHECKSUM = 6;

  /// What a look at a packet's checksum found.
  public enum Verification {
    /// It is right.
    VALID,
    /// It is wrong.
    INVALID,
    /// There is none to look at: UDP without one, a fragment, another protocol or extension
    /// headers.
    ABSENT,
    /// The lengths in the packet contradict each other.
    MALFORMED
  }

  private TransportChecksum() {}

  /// Finishes a partial checksum and says so in the header; does nothing if the header asks for
  /// nothing. A superpacket must be cut first.
  ///
  /// @return false if the header points outside of the packet, which then stays as it is
  public static boolean complete(
      VirtioNetHeader header, ByteBuf buffer, int ipOffset, int packetLength) {
    if (!header.needsChecksum()) {
      return true;
    }
    int start = header.checksumStart();
    int field = start + header.checksumOffset();
    if (header.gsoType() != VirtioNetHeader.GSO_NONE || field + Short.BYTES > packetLength) {
      return false;
    }
    int checksum = Checksum.of(Checksum.sum(buffer, ipOffset + start, packetLength - start));
    // A TCP checksum of zero may be written as ones too: both are zero in one's complement.
    buffer.setShort(ipOffset + field, Checksum.udpField(checksum));
    header.flags(header.flags() & ~VirtioNetHeader.NEEDS_CHECKSUM);
    header.checksumStart(0).checksumOffset(0);
    return true;
  }

  /// Looks at the transport checksum of a whole packet.
  public static Verification verify(ByteBuf buffer, int ipOffset, int packetLength) {
    if (packetLength < IPV4_LENGTH_MIN) {
      return Verification.MALFORMED;
    }
    return switch (buffer.getUnsignedByte(ipOffset) >>> 4) {
      case 4 -> verifyIpv4(buffer, ipOffset, packetLength);
      case 6 -> verifyIpv6(buffer, ipOffset, packetLength);
      default -> Verification.MALFORMED;
    };
  }

  private static Verification verifyIpv4(ByteBuf buffer, int ip, int packetLength) {
    int headerLength = (buffer.getByte(ip) & 0xf) * Integer.BYTES;
    int totalLength = buffer.getUnsignedShort(ip + 2);
    if (headerLength < IPV4_LENGTH_MIN
        || totalLength < headerLength
        || totalLength > packetLength) {
      return Verification.MALFORMED;
    }
    int moreFragmentsAndOffset = 0x3fff;
    if ((buffer.getUnsignedShort(ip + 6) & moreFragmentsAndOffset) != 0) {
      return Verification.ABSENT;
    }
    int protocol = buffer.getUnsignedByte(ip + 9);
    int length = totalLength - headerLength;
    long addresses = Checksum.sum(buffer, ip + 12, 2 * Integer.BYTES);
    return verify(buffer, ip + headerLength, length, protocol, ICMP, addresses);
  }

  private static Verification verifyIpv6(ByteBuf buffer, int ip, int packetLength) {
    if (packetLength < IPV6_LENGTH) {
      return Verification.MALFORMED;
    }
    int length = buffer.getUnsignedShort(ip + 4);
    if (length > packetLength - IPV6_LENGTH) {
      return Verification.MALFORMED;
    }
    int protocol = buffer.getUnsignedByte(ip + 6);
    long addresses = Checksum.sum(buffer, ip + 8, 4 * Long.BYTES);
    return verify(buffer, ip + IPV6_LENGTH, length, protocol, ICMPV6, addresses);
  }

  private static Verification verify(
      ByteBuf buffer, int transport, int length, int protocol, int icmp, long addresses) {
    int lengthMin = protocol == TCP ? 20 : 8;
    if (protocol != TCP && protocol != UDP && protocol != icmp) {
      return Verification.ABSENT;
    }
    if (length < lengthMin) {
      return Verification.MALFORMED;
    }
    if (protocol == UDP && buffer.getShort(transport + UDP_CHECKSUM) == 0) {
      return Verification.ABSENT;
    }
    // ICMP has no pseudo header (RFC 792), ICMPv6 has (RFC 4443 section 2.3).
    long pseudo = protocol == ICMP ? 0 : addresses + protocol + length;
    return Checksum.of(pseudo + Checksum.sum(buffer, transport, length)) == 0
        ? Verification.VALID
        : Verification.INVALID;
  }
}
