package io.viaduct.tunnel.compound;

import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.InternetChecksum;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.VarInt;

/// Fragments IPv4 packets that may be fragmented and fit into no datagram (RFC 791 §3.2). Each
/// fragment is a RAW record. Linux sends such TCP segments too, after it was told of an MTU below
/// 552 (`net.ipv4.route.min_pmtu`).
final class Ipv4Fragments {
  private static final int RECORD_OVERHEAD = 1 + 1 + 3;

  final byte[] packet = new byte[65_535];

  /// Returns whether a packet may be fragmented. Packets with IP options are not fragmented here:
  /// options would have to be sorted.
  static boolean mayCut(int firstByte, int flags) {
    return firstByte == 0x45 && (flags & IpFields.DONT_FRAGMENT) == 0;
  }

  /// Fragments [#packet].
  ///
  /// @param capacity largest body, bytes
  void cut(int length, int capacity, CompoundWriter writer, long nowNs) {
    int header = IpFields.IPV4_HEADER;
    int most = capacity - RECORD_OVERHEAD - header & ~7;
    int field = BigEndian.getShort(packet, IpFields.IPV4_FRAGMENT);
    for (int sent = 0; sent < length - header; sent += most) {
      int bytes = Math.min(most, length - header - sent);
      boolean last = header + sent + bytes == length;
      Staging area = writer.reserve(1 + 3 + header + bytes, null, false, nowNs);
      int lengthAt = area.bytes() + 1;
      area.raw[area.bytes()] = (byte) Record.first(Record.RAW, Record.DO_NOT_INSTALL, 0);
      int ip = VarInt.write(area.raw, lengthAt, header + bytes);
      System.arraycopy(packet, 0, area.raw, ip, header);
      System.arraycopy(packet, header + sent, area.raw, ip + header, bytes);
      BigEndian.putShort(area.raw, ip + IpFields.IPV4_TOTAL_LENGTH, header + bytes);
      int more = last ? field & IpFields.MORE_FRAGMENTS : IpFields.MORE_FRAGMENTS;
      int offset = (field & IpFields.FRAGMENT_OFFSET) + sent / 8;
      BigEndian.putShort(area.raw, ip + IpFields.IPV4_FRAGMENT, more | offset);
      BigEndian.putShort(area.raw, ip + IpFields.IPV4_CHECKSUM, 0);
      BigEndian.putShort(
          area.raw,
          ip + IpFields.IPV4_CHECKSUM,
          InternetChecksum.of(InternetChecksum.sum(area.raw, ip, header, 0)));
      writer.commit(ip + header + bytes, lengthAt, null, false, 1, header + bytes, nowNs);
    }
  }
}
