package io.viaduct.tunnel.compound;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.InternetChecksum;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;

/// Gives access to the packet that is being encoded: the end of its headers, the segments of its
/// payload, and each segment as a packet of its own. Reused for each packet; positions are in
/// [#bytes].
final class InnerPacket {
  private static final int FIN_PSH = IpFields.FIN | IpFields.PSH;

  private ByteBuf packet = Unpooled.EMPTY_BUFFER;
  private FlowKey key = new FlowKey();
  private boolean checksumPartial;
  private int length;
  private int at;
  private int transport;
  private int headerBytes;
  private int payloadAt;
  private int payloadBytes;
  private int segmentBytes;
  private boolean segmented;
  private long arrivalNs;

  /// Begins a packet.
  ///
  /// @param parsed key that has parsed this packet
  void begin(IpPacket from, FlowKey parsed, long nowNs) {
    arrivalNs = nowNs;
    int gsoSize = from.gsoSize();
    packet = from.buffer();
    at = from.start();
    length = from.length();
    checksumPartial = from.isChecksumPartial();
    key = parsed;
    transport = at + key.transportOffset();
    headerBytes = key.transportOffset();
    if (!key.isPortless() && key.protocol() == IpFields.TCP) {
      headerBytes += (packet.getByte(transport + IpFields.TCP_DATA_OFFSET) >>> 4 & 0xF) << 2;
    } else if (!key.isPortless() && key.protocol() == IpFields.UDP) {
      headerBytes += IpFields.UDP_HEADER;
    }
    payloadAt = at + headerBytes;
    payloadBytes = length - headerBytes;
    segmented = gsoSize > 0 && gsoSize < payloadBytes && headerBytes > key.transportOffset();
    segmentBytes = segmented ? gsoSize : Math.max(1, payloadBytes);
  }

  ByteBuf bytes() {
    return packet;
  }

  /// Returns the time at which the packet arrived from its device.
  long arrivalNs() {
    return arrivalNs;
  }

  FlowKey key() {
    return key;
  }

  int at() {
    return at;
  }

  int transport() {
    return transport;
  }

  /// Returns the length of the IP header and the TCP or UDP header together.
  int headerBytes() {
    return headerBytes;
  }

  int payloadAt() {
    return payloadAt;
  }

  int payloadBytes() {
    return payloadBytes;
  }

  /// Returns the payload bytes of each segment but the last.
  int segmentBytes() {
    return segmentBytes;
  }

  /// Returns the payload bytes of the longest segment.
  int longestSegment() {
    return Math.min(segmentBytes, payloadBytes);
  }

  /// Returns the payload bytes of the segment that begins at `offset`.
  int segmentBytes(int offset) {
    return Math.min(segmentBytes, payloadBytes - offset);
  }

  /// Returns whether the transport checksum need not be verified, because the kernel leaves it to
  /// us to complete.
  boolean isChecksumTrusted() {
    return checksumPartial || segmented;
  }

  /// Treats all bytes behind the IP header as payload, in one piece.
  void takeTransportAsPayload() {
    headerBytes = key.transportOffset();
    payloadAt = transport;
    payloadBytes = length - headerBytes;
    segmentBytes = payloadBytes;
  }

  /// Returns whether the transport checksum is right.
  boolean checksumHolds() {
    int bytes = length - key.transportOffset();
    return InternetChecksum.fold(
            InternetChecksum.sum(packet, transport, bytes, pseudoHeaderSum(bytes)))
        == 0xFFFF;
  }

  private long pseudoHeaderSum(int bytes) {
    long initial = key.protocol() + (long) bytes;
    return key.version() == 4
        ? InternetChecksum.sum(packet, at + IpFields.IPV4_SOURCE, 8, initial)
        : InternetChecksum.sum(packet, at + IpFields.IPV6_SOURCE, 32, initial);
  }

  /// Writes a segment as a whole packet with complete lengths and checksums. @return its bytes
  int writeSegment(byte[] to, int ip, int offset) {
    int bytes = segmentBytes(offset);
    packet.getBytes(at, to, ip, headerBytes);
    packet.getBytes(payloadAt + offset, to, ip + headerBytes, bytes);
    if (segmented) {
      rewriteHeaders(to, ip, offset, bytes);
    }
    if (segmented || checksumPartial && !key.isPortless()) {
      completeChecksum(to, ip, headerBytes + bytes);
    }
    return headerBytes + bytes;
  }

  private void rewriteHeaders(byte[] to, int ip, int offset, int bytes) {
    int total = headerBytes + bytes;
    int tcp = ip + key.transportOffset();
    if (key.version() == 4) {
      BigEndian.putShort(to, ip + IpFields.IPV4_TOTAL_LENGTH, total);
      int identification = ip + IpFields.IPV4_IDENTIFICATION;
      BigEndian.putShort(
          to, identification, BigEndian.getShort(to, identification) + offset / segmentBytes);
      BigEndian.putShort(to, ip + IpFields.IPV4_CHECKSUM, 0);
      BigEndian.putShort(
          to,
          ip + IpFields.IPV4_CHECKSUM,
          InternetChecksum.of(InternetChecksum.sum(to, ip, key.transportOffset(), 0)));
    } else {
      BigEndian.putShort(to, ip + IpFields.IPV6_PAYLOAD_LENGTH, total - IpFields.IPV6_HEADER);
    }
    if (key.protocol() == IpFields.TCP) {
      int sequence = tcp + IpFields.TCP_SEQUENCE;
      BigEndian.putInt(to, sequence, BigEndian.getInt(to, sequence) + offset);
      int flags = tcp + IpFields.TCP_FLAGS;
      to[flags] = (byte) flags(to[flags], offset, bytes);
    } else {
      BigEndian.putShort(to, tcp + IpFields.UDP_LENGTH, IpFields.UDP_HEADER + bytes);
    }
  }

  /// Returns the TCP flags of one segment: CWR only in the first, FIN and PSH only in the last.
  int flags(int flags, int offset, int bytes) {
    int kept = offset + bytes < payloadBytes ? flags & ~FIN_PSH : flags;
    return offset > 0 ? kept & ~IpFields.CWR : kept;
  }

  private void completeChecksum(byte[] to, int ip, int packetBytes) {
    int start = ip + key.transportOffset();
    int bytes = packetBytes - key.transportOffset();
    boolean tcp = key.protocol() == IpFields.TCP;
    if (!tcp && key.protocol() != IpFields.UDP) {
      return;
    }
    int field = start + (tcp ? IpFields.TCP_CHECKSUM : IpFields.UDP_CHECKSUM);
    BigEndian.putShort(to, field, 0);
    int checksum =
        InternetChecksum.of(InternetChecksum.sum(to, start, bytes, pseudoHeaderSum(bytes)));
    BigEndian.putShort(to, field, checksum == 0 && !tcp ? 0xFFFF : checksum);
  }
}
