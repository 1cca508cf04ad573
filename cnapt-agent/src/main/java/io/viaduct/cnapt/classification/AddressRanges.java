package io.viaduct.cnapt.classification;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.wire.IpPacket;
import java.util.List;

/// Prefixes as numbers: a packet's address is looked up without an object.
public final class AddressRanges {
  /// All addresses.
  public static final AddressRanges ALL =
      new AddressRanges(List.of(AddressPrefix.of("0.0.0.0/0"), AddressPrefix.of("::/0")));

  private static final int IPV4_SOURCE = 12; // RFC 791
  private static final int IPV6_SOURCE = 8; // RFC 8200

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

  public AddressRanges(List<AddressPrefix> prefixes) {
    ranges = prefixes.stream().map(Range::of).toArray(Range[]::new);
  }

  /// Returns true if a prefix contains the source address of a packet with a whole IP header.
  public boolean haveSource(IpPacket packet) {
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
}
