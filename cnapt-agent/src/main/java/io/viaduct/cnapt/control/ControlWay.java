package io.viaduct.cnapt.control;

import io.viaduct.cnapt.links.UsableLink;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The way of a control connection: the link that it is bound to, and the SNAPT's address.
///
/// The kernel would send a connection by the route that is best at each moment, with the source
/// address of the link that was best at its beginning. So a connection that is not bound breaks
/// when another link comes.
///
/// @param link null if the kernel chooses it
record ControlWay(@Nullable UsableLink link, InetAddress address) {
  /// Returns the ways to a SNAPT in the order in which they are tried, at least one.
  ///
  /// @param links the preferred one first
  /// @param found addresses of the SNAPT, the preferred one first; at least one
  static List<ControlWay> of(List<UsableLink> links, List<InetAddress> found) {
    List<ControlWay> ways = new ArrayList<>();
    for (UsableLink link : links) {
      for (InetAddress each : found) {
        if (each instanceof Inet4Address ? link.hasIpv4() : link.hasIpv6()) {
          ways.add(new ControlWay(link, each));
        }
      }
    }
    if (ways.isEmpty()) {
      found.forEach(each -> ways.add(new ControlWay(null, each)));
    }
    return ways;
  }

  /// Returns the link among these by which a connection with this local address goes on; null if
  /// none has the address.
  ///
  /// @param bound the link that the connection is bound to, null for any
  static @Nullable UsableLink holding(
      List<UsableLink> links, InetAddress own, @Nullable UsableLink bound) {
    for (UsableLink each : links) {
      boolean isBound =
          bound == null || each.index() == bound.index() && each.name().equals(bound.name());
      if (isBound && each.sources().contains(own)) {
        return each;
      }
    }
    return null;
  }
}
