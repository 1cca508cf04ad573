package io.viaduct.snapt.napt;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The public addresses of this host that all its sessions share by masquerading. Each has an alias
/// of the pool, under which the kernel forwards packets from one session to another ([Hairpin]).
/// Immutable.
public final class SharedAddresses {
  private static final Comparator<Prefix> ORDER = Comparator.comparing(Prefix::toString);

  private final AddressPool pool;
  private final @Nullable Prefix[] shared; // by the number of the alias

  /// One address with its alias, both as numeric text.
  public record Alias(String alias, String address, boolean ipv6) {}

  private SharedAddresses(AddressPool pool, @Nullable Prefix[] shared) {
    this.pool = pool;
    this.shared = shared;
  }

  /// Returns no addresses: no packet is turned back.
  public static SharedAddresses none(AddressPool pool) {
    return new SharedAddresses(pool, new Prefix[pool.aliases()]);
  }

  /// Returns these addresses instead of the present ones. An address that stays keeps its alias,
  /// because connections of the kernel have it. Addresses for which there is no alias are left out.
  public SharedAddresses with(Collection<InetAddress> addresses) {
    List<Prefix> added =
        new ArrayList<>(addresses.stream().map(Prefix::host).sorted(ORDER).toList());
    @Nullable Prefix[] next = shared.clone();
    for (int i = 0; i < next.length; i++) {
      Prefix present = next[i];
      if (present != null && !added.remove(present)) {
        next[i] = null;
      }
    }
    for (int i = 0; i < next.length && !added.isEmpty(); i++) {
      if (next[i] == null) {
        next[i] = added.removeFirst();
      }
    }
    return new SharedAddresses(pool, next);
  }

  /// Returns all addresses with their aliases.
  public List<Alias> all() {
    List<Alias> all = new ArrayList<>();
    for (int i = 0; i < shared.length; i++) {
      Prefix address = shared[i];
      if (address != null) {
        PublicAddress alias = pool.alias(i);
        String text = address.ipv6() ? alias.ipv6Text() : alias.ipv4Text();
        all.add(new Alias(text, address.address(0), address.ipv6()));
      }
    }
    return all;
  }

  /// Returns the number of a shared address, given as its upper and lower 64 bits; −1 for any other
  /// address.
  int numberOf(boolean ipv6, long high, long low) {
    for (int i = 0; i < shared.length; i++) {
      Prefix each = shared[i];
      if (each != null && each.ipv6() == ipv6 && each.low() == low && each.high() == high) {
        return i;
      }
    }
    return -1;
  }

  /// Returns the number of the shared address that an alias stands for; −1 for any other address.
  int numberOfAlias(boolean ipv6, long high, long low) {
    long number = low - aliasLow(ipv6, 0);
    if (number < 0 || number >= shared.length || high != aliasHigh(ipv6)) {
      return -1;
    }
    Prefix address = shared[(int) number];
    return address != null && address.ipv6() == ipv6 ? (int) number : -1;
  }

  long aliasHigh(boolean ipv6) {
    return ipv6 ? pool.ipv6().high() : 0;
  }

  long aliasLow(boolean ipv6, int number) {
    return pool.aliasLow(ipv6, number);
  }

  long high(int number) {
    return Objects.requireNonNull(shared[number]).high();
  }

  long low(int number) {
    return Objects.requireNonNull(shared[number]).low();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof SharedAddresses that && Arrays.equals(shared, that.shared);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(shared);
  }

  @Override
  public String toString() {
    return all().toString();
  }
}
