package io.viaduct.tunnel.scheduling;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.wire.InternetChecksum;

/// The ECN field of an inner packet (RFC 3168 §5).
public final class CongestionMark {
  private static final int EXPERIENCED = 3;

  private CongestionMark() {}

  /// Whether its sender understands a mark: ECT(0), ECT(1) or marked already.
  public static boolean understood(ByteBuf packet, int ip) {
    return ecn(packet, ip) != 0;
  }

  /// Says that it has met congestion.
  public static void set(ByteBuf packet, int ip) {
    if (packet.getByte(ip) >>> 4 == 4) {
      int before = packet.getUnsignedShort(ip);
      int after = before | EXPERIENCED;
      packet.setShort(ip, after);
      int checksum = packet.getUnsignedShort(ip + 10);
      packet.setShort(
          ip + 10, InternetChecksum.corrected(checksum, InternetChecksum.change(before, after)));
    } else {
      packet.setByte(ip + 1, packet.getByte(ip + 1) | EXPERIENCED << 4);
    }
  }

  private static int ecn(ByteBuf packet, int ip) {
    int second = packet.getByte(ip + 1);
    return (packet.getByte(ip) >>> 4 == 4 ? second : second >>> 4) & EXPERIENCED;
  }
}
