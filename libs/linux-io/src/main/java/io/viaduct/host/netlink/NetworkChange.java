package io.viaduct.host.netlink;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/// One report of the kernel about links, addresses or routes.
public sealed interface NetworkChange {
  /// A link exists in this state.
  ///
  /// @param index the kernel's number of the link
  /// @param isUp true if the link is switched on
  /// @param hasCarrier true if the link has a carrier signal
  record LinkPresent(int index, String name, boolean isUp, boolean hasCarrier, int mtuBytes)
      implements NetworkChange {}

  /// A link is gone.
  record LinkGone(int index, String name) implements NetworkChange {}

  /// An address of this host exists in this state.
  ///
  /// @param isUsable false while duplicate address detection runs or after it failed
  record AddressPresent(int linkIndex, InetAddress address, int prefixLength, boolean isUsable)
      implements NetworkChange {}

  /// An address of this host is gone.
  record AddressGone(int linkIndex, InetAddress address, int prefixLength)
      implements NetworkChange {}

  /// A unicast route exists. A route with several next hops is reported once per hop.
  record RoutePresent(Route route) implements NetworkChange {}

  /// A unicast route is gone.
  record RouteGone(Route route) implements NetworkChange {}

  /// The reports so far may be outdated. All that exist follow as `...Present`, then [Complete].
  /// Items not reported again by then are gone. Sent after the start, after the kernel dropped
  /// messages, and after changes by which the kernel drops routes without a report.
  record Resync() implements NetworkChange {}

  /// All that exist have been reported.
  record Complete() implements NetworkChange {}

  /// All reports that had arrived were passed on. A burst of them may undo itself: a link that goes
  /// down and up while the process is frozen is as before.
  record Settled() implements NetworkChange {}

  /// A unicast route.
  ///
  /// @param destination first address of the prefix; the wildcard for a default route
  /// @param gateway null if the destination is on the link
  /// @param linkIndex 0 if the route names no link
  /// @param metric lower is preferred
  /// @param table 254 is the main one
  record Route(
      InetAddress destination,
      int prefixLength,
      @Nullable InetAddress gateway,
      int linkIndex,
      int metric,
      int table) {
    /// Returns true for a default route.
    public boolean isDefault() {
      return prefixLength == 0;
    }
  }
}
