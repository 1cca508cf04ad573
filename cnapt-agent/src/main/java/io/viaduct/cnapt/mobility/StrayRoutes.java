package io.viaduct.cnapt.mobility;

import io.viaduct.cnapt.classification.AddressPrefix;
import io.viaduct.host.netlink.NetworkChange;
import io.viaduct.host.netlink.NetworkChange.LinkPresent;
import io.viaduct.host.netlink.NetworkChange.Route;
import io.viaduct.host.netlink.NetworkChange.RouteGone;
import io.viaduct.host.netlink.NetworkChange.RoutePresent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Notices routes of the main table that would lead traffic past the tunnel, and that the agent's
/// rules do not follow. A network can push them: by DHCP (RFC 3442, option 121), by router
/// advertisements (RFC 4191), or as the network of an address that it gives. Owner: the data path's
/// event loop; any thread may call [#seen] and [#present].
public final class StrayRoutes {
  private static final Logger LOG = LoggerFactory.getLogger(StrayRoutes.class);
  private static final int MAIN_TABLE = 254;
  private static final int SHOWN_MAX = 16;

  // More are counted, but not told.
  private static final int TOLD_MAX = 256;

  private final String tun;
  private final List<AddressPrefix> followed;
  private final Map<Integer, String> names = new HashMap<>();
  private final Set<Route> routes = new LinkedHashSet<>(); // candidates: their links may be unknown
  private final Set<Route> counted = new HashSet<>();
  private final AtomicLong seen = new AtomicLong();
  private boolean isComplete;
  private int told;
  private volatile List<String> present = List.of();

  /// @param tun name of the agent's own interface
  /// @param followed networks whose routes are followed
  public StrayRoutes(String tun, List<AddressPrefix> followed) {
    this.tun = tun;
    this.followed = List.copyOf(followed);
  }

  /// Processes a message of the kernel.
  public void accept(NetworkChange change) {
    switch (change) {
      case NetworkChange.Resync _ -> {
        routes.clear();
        isComplete = false;
      }
      case NetworkChange.Complete _ -> {
        counted.retainAll(routes);
        isComplete = true;
      }
      case LinkPresent link -> names.put(link.index(), link.name());
      case RoutePresent(Route route) -> present(route);
      case RouteGone(Route route) -> {
        routes.remove(route);
        counted.remove(route);
      }
      case NetworkChange.Settled _ -> settled();
      default -> {}
    }
  }

  private void present(Route route) {
    AddressPrefix to = new AddressPrefix(route.destination(), route.prefixLength());
    if (route.table() == MAIN_TABLE
        && !route.isDefault()
        && followed.stream().noneMatch(each -> each.covers(to))) {
      routes.add(route);
    }
  }

  // Routes may be reported before their links, so they are judged when all is known.
  private void settled() {
    if (!isComplete) {
      return;
    }
    List<Route> strays = routes.stream().filter(each -> !isOurs(each)).toList();
    for (Route each : strays) {
      if (counted.add(each)) {
        seen.incrementAndGet();
        tell(each, describe(each));
      }
    }
    present = shown(strays);
  }

  private boolean isOurs(Route route) {
    String name = names.getOrDefault(route.linkIndex(), "");
    return name.equals(tun) || name.equals("lo");
  }

  private String describe(Route route) {
    return "%s/%d%s dev %s"
        .formatted(
            route.destination().getHostAddress(),
            route.prefixLength(),
            route.gateway() == null ? "" : " via " + route.gateway().getHostAddress(),
            names.getOrDefault(route.linkIndex(), "?"));
  }

  // The network of an own address is normal; a route by a gateway is set by somebody.
  private void tell(Route route, String text) {
    if (told++ >= TOLD_MAX) {
      return;
    }
    if (route.gateway() == null) {
      LOG.info("the network {} is reached through the tunnel (routing.local)", text);
    } else {
      LOG.warn(
          "the route {} is not followed: its traffic stays in the tunnel. If it is yours, name the"
              + " network in routing.local",
          text);
    }
  }

  private List<String> shown(List<Route> strays) {
    List<String> shown = new ArrayList<>();
    strays.stream().limit(SHOWN_MAX).forEach(each -> shown.add(describe(each)));
    if (strays.size() > SHOWN_MAX) {
      shown.add(strays.size() - SHOWN_MAX + " more");
    }
    return List.copyOf(shown);
  }

  /// Returns the number of such routes since the start.
  public long seen() {
    return seen.get();
  }

  /// Returns the present ones as `ip route` writes them, at most 16 and the number of the others.
  public List<String> present() {
    return present;
  }
}
