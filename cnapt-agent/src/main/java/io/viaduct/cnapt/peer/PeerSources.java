package io.viaduct.cnapt.peer;

import io.netty.buffer.ByteBuf;
import io.viaduct.cnapt.classification.AddressPrefix;
import io.viaduct.cnapt.tunnel.Admission;
import io.viaduct.tunnel.restore.InnerPacketSink;
import io.viaduct.tunnel.wire.IpPacket;
import java.util.List;

/// Lets only those packets of a peer come out of the tunnel whose source is in its prefixes, so
/// that a peer cannot speak for other hosts. Owner: the data path's event loop.
public final class PeerSources implements Admission {
  private static final int IPV4_SOURCE = 12; // RFC 791
  private static final int IPV6_SOURCE = 8; // RFC 8200

  /// A prefix as numbers: no object is made per packet.
  private record Range(boolean isIpv6, long high, long low, long maskHigh, long maskLow) {
    static Range of(AddressPrefix prefix) {
      byte[] bytes = prefix.network().getAddress();
      boolean isIpv6 = prefix.isIpv6();
      long high = isIpv6 ? number(bytes, 0) : 0;
      long low = isIpv6 ? number(bytes, Long.BYTES) : number(bytes, 0) & 0xFFFF_FFFFL;
      int length = isIpv6 ? prefix.length() : prefix.length() + 96;
      return new Range(
          isIpv6, high, low, mask(Math.min(length, Long.SIZE)), mask(length - Long.SIZE));
    }

    private static long number(byte[] bytes, int at) {
      long number = 0;
      for (int i = at; i < Math.min(bytes.length, at + Long.BYTES); i++) {
        number = number << Byte.SIZE | bytes[i] & 0xFF;
      }
      return number;
    }

    private static long mask(int bits) {
      return bits <= 0 ? 0 : -1L << Long.SIZE - bits;
    }

    boolean has(boolean ipv6, long addressHigh, long addressLow) {
      return ipv6 == isIpv6 && (addressHigh & maskHigh) == high && (addressLow & maskLow) == low;
    }
  }

  private final Range[] ranges;
  private volatile long refused; // written by the event loop

  /// @param prefixes the peer's networks
  public PeerSources(List<AddressPrefix> prefixes) {
    ranges = prefixes.stream().map(Range::of).toArray(Range[]::new);
  }

  @Override
  public InnerPacketSink before(InnerPacketSink sink) {
    return (flow, packet) -> {
      if (isAllowed(packet)) {
        sink.packet(flow, packet);
      } else {
        refused++;
      }
    };
  }

  private boolean isAllowed(IpPacket packet) {
    ByteBuf buffer = packet.buffer();
    boolean ipv6 = !packet.isIpv4();
    int source = packet.start() + (ipv6 ? IPV6_SOURCE : IPV4_SOURCE);
    long high = ipv6 ? buffer.getLong(source) : 0;
    long low = ipv6 ? buffer.getLong(source + Long.BYTES) : buffer.getUnsignedInt(source);
    for (Range each : ranges) {
      if (each.has(ipv6, high, low)) {
        return true;
      }
    }
    return false;
  }

  /// Returns the number of packets that were refused; any thread may call this.
  public long refused() {
    return refused;
  }
}
