package io.viaduct.tunnel.restore;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.compound.TcpFields;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.wire.InternetChecksum;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.tunnel.wire.VerdictCounters;
import java.util.function.IntSupplier;

/// Lowers the maximum segment size in a SYN (RFC 9293 §3.7.1). The new value fits the tunnel in the
/// limited direction: away from the end that restores the SYN.
public final class SegmentClamp {
  private static final int END_OF_LIST = 0;
  private static final int NO_OPERATION = 1;
  private static final int MAXIMUM_SEGMENT_SIZE = 2;

  private final IntSupplier innerMtu;
  private final VerdictCounters verdicts;

  /// Creates the clamp.
  ///
  /// @param innerMtu supplies the largest IP packet that fits now
  public SegmentClamp(IntSupplier innerMtu, VerdictCounters verdicts) {
    this.innerMtu = innerMtu;
    this.verdicts = verdicts;
  }

  /// Clamps a whole packet and corrects its checksum (RFC 1624).
  void whole(IpPacket of, FlowKey key) {
    ByteBuf packet = of.buffer();
    int tcp = of.start() + key.transportOffset();
    if (key.protocol() == IpFields.TCP
        && !key.isPortless()
        && (packet.getByte(tcp + IpFields.TCP_FLAGS) & IpFields.SYN) != 0) {
      int headerBytes = (packet.getByte(tcp + IpFields.TCP_DATA_OFFSET) >>> 4 & 0xF) << 2;
      count(clamp(packet, tcp, headerBytes, key.version() == 4, innerMtu.getAsInt(), true));
    }
  }

  /// Clamps a rebuilt packet. Its checksum covers the pseudo header only and does not change.
  void elided(ByteBuf packet, int tcp, TcpFields fields, boolean ipv4) {
    if ((fields.flags() & IpFields.SYN) != 0) {
      count(clamp(packet, tcp, fields.headerBytes(), ipv4, innerMtu.getAsInt(), false));
    }
  }

  private void count(boolean clamped) {
    verdicts.add(Verdict.MSS_CLAMPED, clamped ? 1 : 0);
  }

  /// Lowers the option's value if it is too large.
  ///
  /// @param tcp start of the TCP header
  /// @param headerBytes length of the TCP header, with options
  /// @param innerMtu largest IP packet that fits
  /// @param complete true if the checksum is complete, and so must be corrected (RFC 1624)
  /// @return true if the value was lowered
  private static boolean clamp(
      ByteBuf packet, int tcp, int headerBytes, boolean ipv4, int innerMtu, boolean complete) {
    int ipBytes = ipv4 ? IpFields.IPV4_HEADER : IpFields.IPV6_HEADER;
    int most = innerMtu - ipBytes - IpFields.TCP_HEADER;
    int at = find(packet, tcp + IpFields.TCP_HEADER, tcp + headerBytes);
    if (at < 0 || packet.getUnsignedShort(at) <= most) {
      return false;
    }
    long before = InternetChecksum.sum(packet, tcp, headerBytes, 0);
    packet.setShort(at, most);
    if (complete) {
      long after = InternetChecksum.sum(packet, tcp, headerBytes, 0);
      int checksum = packet.getUnsignedShort(tcp + IpFields.TCP_CHECKSUM);
      packet.setShort(
          tcp + IpFields.TCP_CHECKSUM,
          InternetChecksum.corrected(checksum, InternetChecksum.change(before, after)));
    }
    return true;
  }

  /// Finds the option. @return position of its value, −1 if there is none
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
        return -1; // damaged: the receiver of the SYN decides
      }
      if (kind == MAXIMUM_SEGMENT_SIZE && bytes == 4) {
        return at + 2;
      }
      at += bytes;
    }
    return -1;
  }
}
