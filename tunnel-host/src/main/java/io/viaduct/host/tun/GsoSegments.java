package io.viaduct.host.tun;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/// The packets that a superpacket stands for, one after the other, without a copy of their payload:
/// where each one's payload lies, and what its headers say. A packet that is none yields itself.
///
/// Follows what Linux does when it cuts: TCP sequence and IPv4 identification count on, FIN and PSH
/// stay with the last segment, CWR with the first (net/ipv4/tcp_offload.c).
///
/// A flyweight: [#wrap], then [#next] until it says no.
public final class GsoSegments {
  private static final int IPV4_LENGTH_MIN = 20;
  private static final int IPV4_TOTAL_LENGTH = 2;
  private static final int IPV4_IDENTIFICATION = 4;
  private static final int IPV4_CHECKSUM = 10;
  private static final int IPV4_SOURCE = 12;
  private static final int IPV6_PAYLOAD_LENGTH = 4;
  private static final int IPV6_SOURCE = 8;
  private static final int IPV6_LENGTH = 40;
  private static final int UDP_LENGTH = 8;
  private static final int UDP_LENGTH_FIELD = 4;
  private static final int UDP_CHECKSUM = 6;
  private static final int TCP_LENGTH_MIN = 20;
  private static final int TCP_SEQUENCE = 4;
  private static final int TCP_DATA_OFFSET = 12;
  private static final int TCP_FLAGS = 13;
  private static final int TCP_CHECKSUM = 16;
  private static final int TCP = 6;
  private static final int UDP = 17;

  private static final int FIN = 0x01;
  private static final int PSH = 0x08;
  private static final int CWR = 0x80;

  private final VirtioNetHeader header = new VirtioNetHeader();
  private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
  private int ip;
  private int transport;
  private int headerLength;
  private int payloadEnd;
  private int segmentSize;
  private int count;
  private int index;
  private boolean ipv4;
  private boolean tcp;

  /// Looks at another packet, before its first segment.
  ///
  /// @param headerOffset absolute index of the [VirtioNetHeader]
  /// @param packetLength bytes of the IP packet behind it
  /// @return false if header and packet contradict each other: there are no segments then
  public boolean wrap(ByteBuf buffer, int headerOffset, int packetLength) {
    header.wrap(buffer, headerOffset);
    this.buffer = buffer;
    ip = headerOffset + VirtioNetHeader.LENGTH;
    payloadEnd = ip + packetLength;
    index = -1;
    count = 0;
    if (packetLength < IPV4_LENGTH_MIN) {
      return false;
    }
    int version = buffer.getUnsignedByte(ip) >>> 4;
    ipv4 = version == 4;
    int type = header.gsoType();
    tcp = type != VirtioNetHeader.GSO_UDP_L4;
    if (type == VirtioNetHeader.GSO_NONE) {
      headerLength = 0;
      segmentSize = packetLength;
      count = 1;
      return true;
    }
    return fits(type, version) && headersFit(packetLength);
  }

  private boolean fits(int type, int version) {
    return header.needsChecksum()
        && header.gsoSize() > 0
        && switch (type) {
          case VirtioNetHeader.GSO_TCPV4 -> version == 4;
          case VirtioNetHeader.GSO_TCPV6 -> version == 6;
          case VirtioNetHeader.GSO_UDP_L4 -> version == 4 || version == 6;
          default -> false;
        };
  }

  private boolean headersFit(int packetLength) {
    int ipLength = header.checksumStart();
    int transportMin = tcp ? TCP_LENGTH_MIN : UDP_LENGTH;
    if (ipLength < (ipv4 ? IPV4_LENGTH_MIN : IPV6_LENGTH)
        || ipLength + transportMin > packetLength) {
      return false;
    }
    transport = ip + ipLength;
    int transportLength =
        tcp
            ? (buffer.getUnsignedByte(transport + TCP_DATA_OFFSET) >>> 4) * Integer.BYTES
            : UDP_LENGTH;
    headerLength = ipLength + transportLength;
    if (transportLength < transportMin || headerLength >= packetLength) {
      return false;
    }
    segmentSize = header.gsoSize();
    count = (packetLength - headerLength + segmentSize - 1) / segmentSize;
    return true;
  }

  /// How many there are.
  public int count() {
    return count;
  }

  /// Bytes of IP and transport header before the payload of each, 0 for a packet that is no
  /// superpacket: all of that is payload.
  public int headerLength() {
    return headerLength;
  }

  /// Goes to the next segment.
  ///
  /// @return false if there is none
  public boolean next() {
    return ++index < count;
  }

  /// Absolute index of this segment's payload in the buffer.
  public int payloadOffset() {
    return ip + headerLength + index * segmentSize;
  }

  /// Bytes of it.
  public int payloadLength() {
    return Math.min(segmentSize, payloadEnd - payloadOffset());
  }

  /// Bytes of the whole packet that this segment is.
  public int packetLength() {
    return headerLength + payloadLength();
  }

  /// IPv4 only: its identification.
  public int identification() {
    return (buffer.getUnsignedShort(ip + IPV4_IDENTIFICATION) + index) & 0xffff;
  }

  /// TCP only: its sequence number.
  public int sequence() {
    return buffer.getInt(transport + TCP_SEQUENCE) + index * segmentSize;
  }

  /// TCP only: its flags, FIN lowest.
  public int flags() {
    int flags = buffer.getUnsignedByte(transport + TCP_FLAGS);
    if (index < count - 1) {
      flags &= ~(FIN | PSH);
    }
    return index > 0 ? flags & ~CWR : flags;
  }

  /// Writes this segment's headers, checksums finished, so that with its payload they are a packet.
  /// For a packet that is no superpacket there is nothing to write.
  ///
  /// @param at absolute index in `to`, which has room for [#headerLength]
  public void writeHeaders(ByteBuf to, int at) {
    if (headerLength == 0) {
      return;
    }
    to.setBytes(at, buffer, ip, headerLength);
    int toTransport = at + transport - ip;
    if (ipv4) {
      to.setShort(at + IPV4_TOTAL_LENGTH, packetLength());
      to.setShort(at + IPV4_IDENTIFICATION, identification());
      to.setShort(at + IPV4_CHECKSUM, 0);
      int ipLength = (to.getByte(at) & 0xf) * Integer.BYTES;
      to.setShort(at + IPV4_CHECKSUM, Checksum.of(Checksum.sum(to, at, ipLength)));
    } else {
      to.setShort(at + IPV6_PAYLOAD_LENGTH, packetLength() - IPV6_LENGTH);
    }
    if (tcp) {
      to.setInt(toTransport + TCP_SEQUENCE, sequence());
      to.setByte(toTransport + TCP_FLAGS, flags());
    } else {
      to.setShort(toTransport + UDP_LENGTH_FIELD, UDP_LENGTH + payloadLength());
    }
    int field = toTransport + (tcp ? TCP_CHECKSUM : UDP_CHECKSUM);
    to.setShort(field, 0);
    int transportHeader = headerLength - (transport - ip);
    long sum =
        pseudoHeader(transportHeader + payloadLength())
            + Checksum.sum(to, toTransport, transportHeader)
            + Checksum.sum(buffer, payloadOffset(), payloadLength());
    to.setShort(field, Checksum.udpField(Checksum.of(sum)));
  }

  private long pseudoHeader(int transportBytes) {
    long addresses =
        ipv4
            ? Checksum.sum(buffer, ip + IPV4_SOURCE, 2 * Integer.BYTES)
            : Checksum.sum(buffer, ip + IPV6_SOURCE, 4 * Long.BYTES);
    return addresses + (tcp ? TCP : UDP) + transportBytes;
  }
}
