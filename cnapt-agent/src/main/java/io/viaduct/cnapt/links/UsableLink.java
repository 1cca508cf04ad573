package io.viaduct.cnapt.links;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A link that may carry the tunnel.
///
/// @param name name of the interface, to which a socket is bound
/// @param index the kernel's number of the interface; another one after the interface was made anew
/// @param sources addresses of this host on the link, of each family that can leave by it; never
///   empty
/// @param cost price of one gigabyte, in the unit of the configuration
/// @param use what the rules allow; NO only for a link that is about to be removed
/// @param weakDbm reading that made the signal of a wireless link weak; null while it is strong
public record UsableLink(
    String name,
    int index,
    List<InetAddress> sources,
    double cost,
    LinkUse use,
    @Nullable Integer weakDbm) {
  /// Copies the list.
  public UsableLink {
    sources = List.copyOf(sources);
  }

  /// Returns true if the link carries traffic only while the others do not.
  public boolean isSpare() {
    return use == LinkUse.SPARE;
  }

  /// Returns true if a rule forbids the link, which still stands.
  public boolean isForbidden() {
    return use == LinkUse.NO;
  }

  /// Returns the link after a rule has forbidden it.
  UsableLink forbidden() {
    return new UsableLink(name, index, sources, cost, LinkUse.NO, weakDbm);
  }

  /// Returns true if the link is left while another one works, because its signal is weak.
  public boolean isWeak() {
    return weakDbm != null;
  }

  /// Returns true if datagrams over IPv4 can leave by this link.
  public boolean hasIpv4() {
    return sources.stream().anyMatch(Inet4Address.class::isInstance);
  }

  /// Returns true if datagrams over IPv6 can leave by this link.
  public boolean hasIpv6() {
    return sources.stream().anyMatch(Inet6Address.class::isInstance);
  }
}
