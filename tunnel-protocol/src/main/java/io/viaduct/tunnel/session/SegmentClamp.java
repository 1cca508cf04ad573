package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.compound.TcpFields;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.wire.InternetChecksum;
import io.viaduct.tunnel.wire.Verdict;
import java.util.function.IntSupplier;

/// Lowers the maximum segment size that a SYN announces (RFC 9293 section 3.7.1) to what the tunnel
/// carries in the direction that the announcement limits: away from the end that restores it.
final class SegmentClamp {
  private static final int SYN = 0x02;
  private static final int FLAGS = 13;
  private static final int TCP_HEADER = 20;
  private static final int CHECKSUM = 16;
  private static final int END_OF_LIST = 0;
  private static final int NO_OPERATION = 1;
  private static final int MAXIMUM_SEGMENT_SIZE = 2;

  private final IntSupplier innerMtu;
  private final long[] verdicts;

  /// @param innerMtu largest IP packet that fits now
  SegmentClamp(IntSupplier innerMtu, long[] verdicts) {
    this.innerMtu = innerMtu;
    this.verdicts = verdicts;
  }

  /// A whole packet, whose checksum is corrected (RFC 1624).
  void whole(ByteBuf packet, int ip, FlowKey key) {
    int tcp = ip + key.transportOffset();
    if (key.protocol() == FlowKey.TCP
        && !key.portless()
        && (packet.getByte(tcp + FLAGS) & SYN) != 0) {
      int headerBytes = (packet.getByte(tcp + 12) >>> 4 & 0xF) << 2;
      count(clamp(packet, tcp, headerBytes, key.version() == 4, innerMtu.getAsInt(), true));
    }
  }

  /// A packet that was put together, whose checksum covers the pseudo header only.
  void elided(ByteBuf packet, int tcp, TcpFields fields, boolean ipv4) {
    if ((fields.flags() & SYN) != 0) {
      count(clamp(packet, tcp, fields.headerBytes(), ipv4, innerMtu.getAsInt(), false));
    }
  }

  private void count(boolean clamped) {
    verdicts[Verdict.MSS_CLAMPED.ordinal()] += clamped ? 1 : 0;
  }

  /// @param tcp where the TCP header begins
  /// @param headerBytes of TCP, with options
  /// @param innerMtu largest IP packet that fits
  /// @param complete whether the checksum is, and is to be corrected (RFC 1624)
  /// @return whether it was lowered
  private static boolean clamp(
      ByteBuf packet, int tcp, int headerBytes, boolean ipv4, int innerMtu, boolean complete) {
    int ipBytes = ipv4 ? FlowKey.IPV4_HEADER : FlowKey.IPV6_HEADER;
    int most = innerMtu - ipBytes - TCP_HEADER;
    int at = find(packet, tcp + TCP_HEADER, tcp + headerBytes);
    if (at < 0 || packet.getUnsignedShort(at) <= most) {
      return false;
    }
    long before = InternetChecksum.sum(packet, tcp, headerBytes, 0);
    packet.setShort(at, most);
    if (complete) {
      long after = InternetChecksum.sum(packet, tcp, headerBytes, 0);
      int checksum = packet.getUnsignedShort(tcp + CHECKSUM);
      packet.setShort(
          tcp + CHECKSUM,
          InternetChecksum.corrected(checksum, InternetChecksum.change(before, after)));
    }
    return true;
  }

  /// @return where the value of the option is, −1 if there is none
  private static int find(ByteBuf packet, int start, int end) {
    int at = start;
    while (at < end) {
      int kind = packet.getByte(at);
      if (kind == END_OF_LIST) {
        return -1;
      }
      if (kind == NO_OPERATION) {
        at++;
        continue;
      }
      int bytes = at + 1 < end ? packet.getUnsignedByte(at + 1) : 0;
      if (bytes < 2 || at + bytes > end) {
        return -1; // damaged: the receiver may judge
      }
      if (kind == MAXIMUM_SEGMENT_SIZE && bytes == 4) {
        return at + 2;
      }
      at += bytes;
    }
    return -1;
  }
}
