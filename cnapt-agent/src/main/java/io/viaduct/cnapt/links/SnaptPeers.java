package io.viaduct.cnapt.links;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The addresses for datagrams to one SNAPT, at most one per address family.
///
/// @param control that of the control connection, for a socket that the kernel routes
/// @param ipv4 null if the SNAPT has none
/// @param ipv6 null if the SNAPT has none
public record SnaptPeers(
    InetSocketAddress control, @Nullable InetSocketAddress ipv4, @Nullable InetSocketAddress ipv6) {
  /// Returns the one address of a control connection.
  public static SnaptPeers of(InetSocketAddress control) {
    boolean isIpv4 = control.getAddress() instanceof Inet4Address;
    return new SnaptPeers(control, isIpv4 ? control : null, isIpv4 ? null : control);
  }

  /// Returns these addresses with one of the other family.
  ///
  /// @param found addresses of the same SNAPT, the preferred one first
  /// @param before former addresses; one that was found again stays, so that no path moves
  public SnaptPeers and(List<InetAddress> found, @Nullable SnaptPeers before) {
    InetSocketAddress former = before == null ? null : ipv4 == null ? before.ipv4 : before.ipv6;
    InetAddress kept = former == null ? null : former.getAddress();
    InetAddress added =
        found.stream()
            .filter(each -> each instanceof Inet4Address == (ipv4 == null))
            .reduce((first, each) -> each.equals(kept) ? each : first)
            .orElse(null);
    if (added == null) {
      return this;
    }
    InetSocketAddress second = new InetSocketAddress(added, control.getPort());
    return ipv4 == null
        ? new SnaptPeers(control, second, ipv6)
        : new SnaptPeers(control, ipv4, second);
  }

  /// Returns the address to which a link's datagrams go. IPv4 comes first, because its header is 20
  /// bytes shorter.
  ///
  /// @param link null for a socket that the kernel routes
  /// @param second true for the second address, if there are two that the link can reach
  /// @return null if the link has no address family of the SNAPT
  public @Nullable InetSocketAddress of(@Nullable UsableLink link, boolean second) {
    if (link == null) {
      return control;
    }
    InetSocketAddress four = link.hasIpv4() ? ipv4 : null;
    InetSocketAddress six = link.hasIpv6() ? ipv6 : null;
    return four == null || second && six != null ? six : four;
  }
}
