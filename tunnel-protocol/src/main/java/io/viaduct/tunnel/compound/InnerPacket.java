package io.viaduct.tunnel.compound;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.InternetChecksum;

/// The packet that is being encoded: where its headers end, how its payload is cut, and each of its
/// segments as a packet of its own. Reused for each packet; positions are in [#bytes].
final class InnerPacket {
  private static final int UDP_HEADER = 8;
  private static final int FIN_PSH = 0x09;
  private static final int CWR = 0x80;

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

  /// @param gsoSize payload bytes per segment, 0 for a plain packet
  /// @param partial the transport checksum is not complete yet
  /// @param parsed has parsed it
  void begin(ByteBuf from, int ipOffset, int bytes, int gsoSize, boolean partial, FlowKey parsed) {
    packet = from;
    at = ipOffset;
    length = bytes;
    checksumPartial = partial;
    key = parsed;
    transport = ipOffset + key.transportOffset();
    headerBytes = key.transportOffset();
    if (!key.portless() && key.protocol() == FlowKey.TCP) {
      headerBytes += (packet.getByte(transport + 12) >>> 4 & 0xF) << 2;
    } else if (!key.portless() && key.protocol() == FlowKey.UDP) {
      headerBytes += UDP_HEADER;
    }
    payloadAt = at + headerBytes;
    payloadBytes = length - headerBytes;
    segmented = gsoSize > 0 && gsoSize < payloadBytes && headerBytes > key.transportOffset();
    segmentBytes = segmented ? gsoSize : Math.max(1, payloadBytes);
  }

  ByteBuf bytes() {
    return packet;
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

  /// Of IP and of what has ports.
  int headerBytes() {
    return headerBytes;
  }

  int payloadAt() {
    return payloadAt;
  }

  int payloadBytes() {
    return payloadBytes;
  }

  /// Payload of each segment but the last.
  int segmentBytes() {
    return segmentBytes;
  }

  /// Payload of the longest segment.
  int longestSegment() {
    return Math.min(segmentBytes, payloadBytes);
  }

  /// Payload of the segment that begins there.
  int segmentBytes(int offset) {
    return Math.min(segmentBytes, payloadBytes - offset);
  }

  /// Whether there is more than one segment.
  boolean isSegmented() {
    return segmented;
  }

  /// Whether the kernel answers for the transport checksum.
  boolean isVouched() {
    return checksumPartial || segmented;
  }

  /// Everything behind the IP header is payload, in one piece.
  void takeTransportAsPayload() {
    headerBytes = key.transportOffset();
    payloadAt = transport;
    payloadBytes = length - headerBytes;
    segmentBytes = payloadBytes;
  }

  /// Whether the transport checksum is right.
  boolean checksumHolds() {
    int bytes = length - key.transportOffset();
    return InternetChecksum.fold(
            InternetChecksum.sum(packet, transport, bytes, pseudoHeaderSum(bytes)))
        == 0xFFFF;
  }

  private long pseudoHeaderSum(int bytes) {
    long initial = key.protocol() + (long) bytes;
    return key.version() == 4
        ? InternetChecksum.sum(packet, at + 12, 8, initial)
        : InternetChecksum.sum(packet, at + 8, 32, initial);
  }

  /// Writes a segment as a whole packet, its lengths and checksums complete. @return its bytes
  int writeSegment(byte[] to, int ip, int offset) {
    int bytes = segmentBytes(offset);
    packet.getBytes(at, to, ip, headerBytes);
    packet.getBytes(payloadAt + offset, to, ip + headerBytes, bytes);
    if (segmented) {
      rewriteHeaders(to, ip, offset, bytes);
    }
    if (segmented || checksumPartial && !key.portless()) {
      completeChecksum(to, ip, headerBytes + bytes);
    }
    return headerBytes + bytes;
  }

  private void rewriteHeaders(byte[] to, int ip, int offset, int bytes) {
    int total = headerBytes + bytes;
    int tcp = ip + key.transportOffset();
    if (key.version() == 4) {
      BigEndian.putShort(to, ip + 2, total);
      BigEndian.putShort(to, ip + 4, BigEndian.getShort(to, ip + 4) + offset / segmentBytes);
      BigEndian.putShort(to, ip + 10, 0);
      BigEndian.putShort(
          to, ip + 10, InternetChecksum.of(InternetChecksum.sum(to, ip, key.transportOffset(), 0)));
    } else {
      BigEndian.putShort(to, ip + 4, total - FlowKey.IPV6_HEADER);
    }
    if (key.protocol() == FlowKey.TCP) {
      BigEndian.putInt(to, tcp + 4, BigEndian.getInt(to, tcp + 4) + offset);
      to[tcp + 13] = (byte) flags(to[tcp + 13], offset, bytes);
    } else {
      BigEndian.putShort(to, tcp + 4, UDP_HEADER + bytes);
    }
  }

  /// TCP flags of one segment: CWR only in the first, FIN and PSH only in the last.
  int flags(int flags, int offset, int bytes) {
    int kept = offset + bytes < payloadBytes ? flags & ~FIN_PSH : flags;
    return offset > 0 ? kept & ~CWR : kept;
  }

  private void completeChecksum(byte[] to, int ip, int packetBytes) {
    int start = ip + key.transportOffset();
    int bytes = packetBytes - key.transportOffset();
    boolean tcp = key.protocol() == FlowKey.TCP;
    if (!tcp && key.protocol() != FlowKey.UDP) {
      return;
    }
    int field = start + (tcp ? 16 : 6);
    BigEndian.putShort(to, field, 0);
    int checksum =
        InternetChecksum.of(InternetChecksum.sum(to, start, bytes, pseudoHeaderSum(bytes)));
    BigEndian.putShort(to, field, checksum == 0 && !tcp ? 0xFFFF : checksum);
  }
}
