package io.viaduct.cnapt.mobility;

import io.viaduct.cnapt.links.AttachedLink;
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
import io.viaduct.host.netlink.NetworkChange.Settled;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
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

  /// An address on a link. Two links may have the same one, in two private networks.
  private record Placed(int linkIndex, InetAddress address) {}

  private final String tun;
  private final Map<Integer, LinkPresent> links = new HashMap<>();
  private final Set<Placed> addresses = new HashSet<>();
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
          case Settled _ -> null;
          case LinkPresent link -> link(link);
          case LinkGone gone -> links.remove(gone.index()) != null && !isOurs(gone) ? "link" : null;
          case AddressPresent present -> address(present);
          case AddressGone gone ->
              addresses.remove(new Placed(gone.linkIndex(), gone.address())) ? "address" : null;
          case RoutePresent(Route route) -> matters(route) && defaults.add(route) ? "route" : null;
          case RouteGone(Route route) -> matters(route) && defaults.remove(route) ? "route" : null;
        };
    return complete || change instanceof Complete ? cause : null;
  }

  private @Nullable String resync() {
    known.clear();
    known.addAll(links.values());
    known.addAll(addresses);
    known.addAll(defaults);
    names.clear();
    addresses.forEach(each -> names.put(each.address(), nameOf(each.linkIndex())));
    links.clear();
    addresses.clear();
    defaults.clear();
    complete = false;
    return null;
  }

  private @Nullable String completed() {
    Set<Object> now = new HashSet<>(links.values());
    now.addAll(addresses);
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
    return addresses.add(new Placed(present.linkIndex(), address)) ? "address" : null;
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
            addresses.stream()
                .map(Placed::address)
                .min(Comparator.comparing(InetAddress::getHostAddress)))
        .map(this::describe)
        .orElse("nowhere");
  }

  private Optional<InetAddress> addressOf(int linkIndex) {
    return addresses.stream()
        .filter(each -> each.linkIndex() == linkIndex)
        .map(Placed::address)
        .min(Comparator.comparing(InetAddress::getHostAddress));
  }

  /// Returns false between Resync and Complete, when the view has gaps.
  boolean isComplete() {
    return complete;
  }

  /// Returns the links that are up, have a carrier signal, and have a default route and an address
  /// of the same family; ordered by number.
  List<AttachedLink> attached() {
    return links.values().stream()
        .filter(link -> link.isUp() && link.hasCarrier() && !isOurs(link.name()))
        .sorted(Comparator.comparingInt(LinkPresent::index))
        .map(link -> new AttachedLink(link.index(), link.name(), sources(link.index())))
        .filter(link -> !link.sources().isEmpty())
        .toList();
  }

  private List<InetAddress> sources(int linkIndex) {
    return addresses.stream()
        .filter(each -> each.linkIndex() == linkIndex && hasDefault(linkIndex, each.address()))
        .map(Placed::address)
        .sorted(Comparator.comparing(InetAddress::getHostAddress))
        .toList();
  }

  private boolean hasDefault(int linkIndex, InetAddress source) {
    boolean ipv4 = source instanceof Inet4Address;
    return defaults.stream()
        .anyMatch(route ->
            route.linkIndex() == linkIndex && route.destination() instanceof Inet4Address == ipv4);
  }

  /// Returns the text for an address of this host, with the name of its interface.
  String describe(@Nullable InetAddress local) {
    if (local == null) {
      return "nowhere";
    }
    String told =
        addresses.stream()
            .filter(each -> each.address().equals(local))
            .map(each -> nameOf(each.linkIndex()))
            .sorted()
            .findFirst()
            .orElse("");
    String name = told.isEmpty() ? names.getOrDefault(local, "") : told;
    return (name.isEmpty() ? "" : name + " ") + local.getHostAddress();
  }
}
