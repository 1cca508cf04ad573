package io.viaduct.tunnel.compound;

import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.InternetChecksum;
import io.viaduct.tunnel.wire.VarInt;

/// Cuts IPv4 packets that may be fragmented and fit into no datagram (RFC 791 section 3.2); each
/// fragment is a RAW record. Linux sends such TCP segments too, once it was told of an MTU below
/// 552 (`net.ipv4.route.min_pmtu`).
final class Ipv4Fragments {
  private static final int DF = 0x4000;
  private static final int MORE = 0x2000;
  private static final int OFFSET = 0x1FFF;
  private static final int RECORD_OVERHEAD = 1 + 1 + 3;

  final byte[] packet = new byte[65_535];

  /// Whether a header says that its packet may be fragmented; options would have to be sorted.
  static boolean mayCut(int firstByte, int flags) {
    return firstByte == 0x45 && (flags & DF) == 0;
  }

  /// Cuts [#packet].
  ///
  /// @param capacity of a body
  void cut(int length, int capacity, CompoundWriter writer, long nowNs) {
    int header = FlowKey.IPV4_HEADER;
    int most = capacity - RECORD_OVERHEAD - header & ~7;
    int field = BigEndian.getShort(packet, 6);
    for (int sent = 0; sent < length - header; sent += most) {
      int bytes = Math.min(most, length - header - sent);
      boolean last = header + sent + bytes == length;
      Staging area = writer.reserve(1 + 3 + header + bytes, null, false);
      int lengthAt = area.bytes() + 1;
      area.raw[area.bytes()] = (byte) Record.first(Record.RAW, Record.DO_NOT_INSTALL, 0);
      int ip = VarInt.write(area.raw, lengthAt, header + bytes);
      System.arraycopy(packet, 0, area.raw, ip, header);
      System.arraycopy(packet, header + sent, area.raw, ip + header, bytes);
      BigEndian.putShort(area.raw, ip + 2, header + bytes);
      int more = last ? field & MORE : MORE;
      BigEndian.putShort(area.raw, ip + 6, more | (field & OFFSET) + sent / 8);
      BigEndian.putShort(area.raw, ip + 10, 0);
      BigEndian.putShort(
          area.raw, ip + 10, InternetChecksum.of(InternetChecksum.sum(area.raw, ip, header, 0)));
      writer.commit(ip + header + bytes, lengthAt, null, false, 1, header + bytes, nowNs);
    }
  }
}
