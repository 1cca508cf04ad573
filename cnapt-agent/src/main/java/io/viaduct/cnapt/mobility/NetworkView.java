package io.viaduct.cnapt.mobility;

import io.viaduct.host.netlink.NetworkChange;
import io.viaduct.host.netlink.NetworkChange.AddressGone;
import io.viaduct.host.netlink.NetworkChange.AddressPresent;
import io.viaduct.host.netlink.NetworkChange.Complete;
import io.viaduct.host.netlink.NetworkChange.LinkGone;
import io.viaduct.host.netlink.NetworkChange.LinkPresent;
import io.viaduct.host.netlink.NetworkChange.Resync;
import io.viaduct.host.netlink.NetworkChange.Route;
import io.viaduct.host.netlink.NetworkChange.RouteGone;
import io.viaduct.host.netlink.NetworkChange.RoutePresent;
import java.net.InetAddress;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Tracks the links, addresses and default routes that the kernel reports, and decides which
/// messages are a change of network for the tunnel. Does no I/O. Owner: the data path's event loop.
///
/// These messages are not a change: messages about the TUN or the loopback; messages without news
/// (statistics, renewed lifetimes); addresses of link-local scope; routes of other tables or to
/// single networks; the answers to a dump (between Resync and Complete), unless they differ from
/// the known state.
final class NetworkView {
  private static final int MAIN_TABLE = 254;

  private final String tun;
  private final Map<Integer, LinkPresent> links = new HashMap<>();
  private final Map<InetAddress, Integer> addresses = new HashMap<>();
  private final Set<Route> defaults = new HashSet<>();
  private final Set<Object> known = new HashSet<>();
  // The state before the last Resync. It supplies interface names until the dump is complete.
  private final Map<InetAddress, String> names = new HashMap<>();
  private boolean complete;
  private boolean once;

  /// @param tun name of the agent's own interface
  NetworkView(String tun) {
    this.tun = tun;
  }

  /// Processes a message of the kernel.
  ///
  /// @return the cause of a change that matters, `link`, `address` or `route`; null if none
  @Nullable String accept(NetworkChange change) {
    String cause =
        switch (change) {
          case Resync _ -> resync();
          case Complete _ -> completed();
          case LinkPresent link -> link(link);
          case LinkGone gone -> links.remove(gone.index()) != null && !isOurs(gone) ? "link" : null;
          case AddressPresent present -> address(present);
          case AddressGone gone -> addresses.remove(gone.address()) != null ? "address" : null;
          case RoutePresent(Route route) -> matters(route) && defaults.add(route) ? "route" : null;
          case RouteGone(Route route) -> matters(route) && defaults.remove(route) ? "route" : null;
        };
    return complete || change instanceof Complete ? cause : null;
  }

  private @Nullable String resync() {
    known.clear();
    known.addAll(links.values());
    known.addAll(addresses.entrySet().stream().map(Map.Entry::toString).toList());
    known.addAll(defaults);
    names.clear();
    addresses.forEach((address, index) -> names.put(address, nameOf(index)));
    links.clear();
    addresses.clear();
    defaults.clear();
    complete = false;
    return null;
  }

  private @Nullable String completed() {
    Set<Object> now = new HashSet<>(links.values());
    now.addAll(addresses.entrySet().stream().map(Map.Entry::toString).toList());
    now.addAll(defaults);
    boolean differs = once && !now.equals(known);
    complete = true;
    once = true;
    known.clear();
    return differs ? "route" : null;
  }

  private @Nullable String link(LinkPresent link) {
    LinkPresent before = links.put(link.index(), link);
    if (isOurs(link.name()) || (before == null && !link.isUp())) {
      return null;
    }
    boolean same =
        before != null && before.isUp() == link.isUp() && before.hasCarrier() == link.hasCarrier();
    return same ? null : "link";
  }

  private @Nullable String address(AddressPresent present) {
    InetAddress address = present.address();
    if (!present.isUsable()
        || address.isLinkLocalAddress()
        || address.isLoopbackAddress()
        || isOurs(nameOf(present.linkIndex()))) {
      return null;
    }
    Integer before = addresses.put(address, present.linkIndex());
    return before == null || before != present.linkIndex() ? "address" : null;
  }

  private boolean matters(Route route) {
    return route.isDefault() && route.table() == MAIN_TABLE && !isOurs(nameOf(route.linkIndex()));
  }

  private boolean isOurs(LinkGone gone) {
    return isOurs(gone.name());
  }

  private boolean isOurs(String name) {
    return name.equals(tun) || name.equals("lo");
  }

  private String nameOf(int linkIndex) {
    LinkPresent link = links.get(linkIndex);
    return link == null ? "" : link.name();
  }

  /// Returns the present location of this host: the address on the link of the best default route,
  /// otherwise any address, or `nowhere` if there is none.
  String here() {
    return defaults.stream()
        .sorted(Comparator.comparingInt(Route::metric))
        .flatMap(route -> addressOf(route.linkIndex()).stream())
        .findFirst()
        .or(() ->
            addresses.keySet().stream().min(Comparator.comparing(InetAddress::getHostAddress)))
        .map(this::describe)
        .orElse("nowhere");
  }

  private Optional<InetAddress> addressOf(int linkIndex) {
    return addresses.entrySet().stream()
        .filter(each -> each.getValue() == linkIndex)
        .map(Map.Entry::getKey)
        .min(Comparator.comparing(InetAddress::getHostAddress));
  }

  /// Returns the text for an address of this host, with the name of its interface.
  String describe(@Nullable InetAddress local) {
    if (local == null) {
      return "nowhere";
    }
    Integer index = addresses.get(local);
    String told = index == null ? "" : nameOf(index);
    String name = told.isEmpty() ? names.getOrDefault(local, "") : told;
    return (name.isEmpty() ? "" : name + " ") + local.getHostAddress();
  }
}
