package io.viaduct.cnapt.links;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// One place at which the other end of the tunnel receives datagrams, at most one address per
/// family. A path leads from one link to one place, by the family that both have.
///
/// @param ipv4 null if the place has none
/// @param ipv6 null if the place has none
public record Remote(@Nullable InetSocketAddress ipv4, @Nullable InetSocketAddress ipv6) {
  /// Checks that there is an address.
  public Remote {
    if (ipv4 == null && ipv6 == null) {
      throw new IllegalArgumentException("a place needs an address of IPv4 or IPv6");
    }
  }

  /// Returns the place with one address.
  public static Remote of(InetSocketAddress address) {
    boolean isIpv4 = address.getAddress() instanceof Inet4Address;
    return new Remote(isIpv4 ? address : null, isIpv4 ? null : address);
  }

  /// Returns whether one of the addresses is this one.
  public boolean has(InetAddress address) {
    return ipv4 != null && ipv4.getAddress().equals(address)
        || ipv6 != null && ipv6.getAddress().equals(address);
  }

  /// Returns whether one of the addresses is this one, with this port.
  boolean has(InetAddress address, int port) {
    InetSocketAddress wanted = new InetSocketAddress(address, port);
    return wanted.equals(ipv4) || wanted.equals(ipv6);
  }

  /// Returns the address to which a link's datagrams go. IPv4 comes first, because its header is 20
  /// bytes shorter.
  ///
  /// @param second true for the second address, if there are two that the link can reach
  /// @return null if the link has no address family of the place
  @Nullable InetSocketAddress of(UsableLink link, boolean second) {
    InetSocketAddress four = link.hasIpv4() ? ipv4 : null;
    InetSocketAddress six = link.hasIpv6() ? ipv6 : null;
    return four == null || second && six != null ? six : four;
  }
}
