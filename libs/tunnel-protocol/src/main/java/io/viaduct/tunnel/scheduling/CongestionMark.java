package io.viaduct.tunnel.scheduling;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.wire.InternetChecksum;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;

/// Reads and sets the ECN field of an inner packet (RFC 3168 §5).
public final class CongestionMark {
  private CongestionMark() {}

  /// Returns whether the packet's sender understands marks: ECT(0), ECT(1), or marked already.
  public static boolean isUnderstood(IpPacket packet) {
    return ecn(packet) != 0;
  }

  /// Marks the packet with Congestion Experienced.
  public static void set(IpPacket of) {
    ByteBuf packet = of.buffer();
    int ip = of.start();
    if (of.isIpv4()) {
      int before = packet.getUnsignedShort(ip);
      int after = before | IpFields.CONGESTION_EXPERIENCED;
      packet.setShort(ip, after);
      int checksum = packet.getUnsignedShort(ip + IpFields.IPV4_CHECKSUM);
      packet.setShort(
          ip + IpFields.IPV4_CHECKSUM,
          InternetChecksum.corrected(checksum, InternetChecksum.change(before, after)));
    } else {
      packet.setByte(ip + 1, packet.getByte(ip + 1) | IpFields.CONGESTION_EXPERIENCED << 4);
    }
  }

  private static int ecn(IpPacket packet) {
    int second = packet.buffer().getByte(packet.start() + 1);
    return (packet.isIpv4() ? second : second >>> 4) & IpFields.CONGESTION_EXPERIENCED;
  }
}
