package io.viaduct.snapt.policy;

import io.viaduct.snapt.napt.Prefix;
import java.util.Collection;
import java.util.List;

/// A set of prefixes with a lookup that allocates nothing. Immutable. A linear search is fast
/// enough for a few dozen prefixes.
final class Networks {
  static final Networks NONE = new Networks(List.of());

  private final long[] ipv4Low;
  private final long[] ipv4High;
  private final long[] ipv6;

  Networks(Collection<Prefix> prefixes) {
    List<Prefix> four = prefixes.stream().filter(p -> !p.ipv6()).distinct().toList();
    List<Prefix> six = prefixes.stream().filter(Prefix::ipv6).distinct().toList();
    ipv4Low = four.stream().mapToLong(Prefix::low).toArray();
    ipv4High = four.stream().mapToLong(p -> p.low() + (1L << p.hostBits()) - 1).toArray();
    ipv6 = new long[six.size() * 4];
    for (int i = 0; i < six.size(); i++) {
      Prefix prefix = six.get(i);
      ipv6[4 * i] = mask(prefix.length());
      ipv6[4 * i + 1] = prefix.high();
      ipv6[4 * i + 2] = mask(prefix.length() - Long.SIZE);
      ipv6[4 * i + 3] = prefix.low();
    }
  }

  private static long mask(int bits) {
    return bits <= 0 ? 0 : bits >= Long.SIZE ? -1 : -1L << (Long.SIZE - bits);
  }

  boolean holdIpv4(long address) {
    for (int i = 0; i < ipv4Low.length; i++) {
      if (address >= ipv4Low[i] && address <= ipv4High[i]) {
        return true;
      }
    }
    return false;
  }

  boolean holdIpv6(long high, long low) {
    for (int i = 0; i < ipv6.length; i += 4) {
      if ((high & ipv6[i]) == ipv6[i + 1] && (low & ipv6[i + 2]) == ipv6[i + 3]) {
        return true;
      }
    }
    return false;
  }
}
