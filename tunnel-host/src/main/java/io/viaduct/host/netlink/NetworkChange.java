package io.viaduct.host.netlink;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/// One thing that the kernel told about links, addresses or routes.
public sealed interface NetworkChange {
  /// A link exists and is like this now.
  ///
  /// @param index the kernel's number of it
  /// @param up whether it was switched on
  /// @param carrier whether something is at the other end
  record LinkPresent(int index, String name, boolean up, boolean carrier, int mtuBytes)
      implements NetworkChange {}

  /// A link is gone.
  record LinkGone(int index, String name) implements NetworkChange {}

  /// An address of this host exists and is like this now.
  ///
  /// @param usable false while duplicate detection runs or has failed
  record AddressPresent(int linkIndex, InetAddress address, int prefixLength, boolean usable)
      implements NetworkChange {}

  /// An address of this host is gone.
  record AddressGone(int linkIndex, InetAddress address, int prefixLength)
      implements NetworkChange {}

  /// A unicast route exists; one of several next hops if there are several.
  record RoutePresent(Route route) implements NetworkChange {}

  /// A unicast route is gone.
  record RouteGone(Route route) implements NetworkChange {}

  /// What was told so far may be out of date: everything that exists follows as `...Present`, then
  /// [Complete]; what was not told again by then is gone. Comes first after the start, when the
  /// kernel had to drop messages, and after changes that make it drop routes without telling.
  record Resync() implements NetworkChange {}

  /// Everything that exists has been told.
  record Complete() implements NetworkChange {}

  /// A unicast route.
  ///
  /// @param destination first address of the prefix; the wildcard for a default route
  /// @param gateway null if the destination is on the link
  /// @param linkIndex 0 if the route names no link
  /// @param metric lower wins
  /// @param table 254 is the main one
  record Route(
      InetAddress destination,
      int prefixLength,
      @Nullable InetAddress gateway,
      int linkIndex,
      int metric,
      int table) {
    /// Whether it takes what no other route takes.
    public boolean isDefault() {
      return prefixLength == 0;
    }
  }
}
