package io.viaduct.tunnel.session;

import io.viaduct.tunnel.wire.BigEndian;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Segments superpackets slowly and obviously, as the reference for tests.
final class Segments {
  private Segments() {}

  /// Returns the canonical packets of one (super)packet, see [PacketForge#canonical].
  static List<byte[]> of(byte[] packet, int gsoSize, boolean partial) {
    int payloadAt = gsoSize == 0 ? packet.length : PacketForge.payloadAt(packet);
    int payload = packet.length - payloadAt;
    if (gsoSize == 0 || payload <= gsoSize) {
      return List.of(PacketForge.canonical(packet, partial));
    }
    List<byte[]> segments = new ArrayList<>();
    int ip = PacketForge.headerBytes(packet);
    boolean tcp = PacketForge.protocol(packet) == PacketForge.TCP;
    for (int at = 0; at < payload; at += gsoSize) {
      int bytes = Math.min(gsoSize, payload - at);
      byte[] segment = Arrays.copyOf(packet, payloadAt + bytes);
      System.arraycopy(packet, payloadAt + at, segment, payloadAt, bytes);
      if (packet[0] >>> 4 == 4) {
        BigEndian.putShort(segment, 2, segment.length);
      } else {
        BigEndian.putShort(segment, 4, segment.length - 40);
      }
      if (tcp) {
        BigEndian.putInt(segment, ip + 4, BigEndian.getInt(segment, ip + 4) + at);
        if (at + bytes < payload) {
          segment[ip + 13] &= ~0x09;
        }
        if (at > 0) {
          segment[ip + 13] &= 0x7F;
        }
      } else {
        BigEndian.putShort(segment, ip + 4, 8 + bytes);
      }
      segments.add(PacketForge.canonical(segment, true));
    }
    return segments;
  }
}
