package io.viaduct.cnapt.egress;

import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks for a captive portal. While the tunnel carries nothing, it opens the way to the portal's
/// own hosts only, until it lets the device through. While the tunnel carries, it looks at links
/// that do not answer, and opens nothing. Owner: its own thread; any thread may call [#carries] and
/// [#page].
final class PortalWatch implements AutoCloseable {
  /// Asks the network. Blocking; called on the thread of this watch.
  interface Search {
    /// Asks a page of the Internet.
    PortalFinding probe();

    /// Follows the redirections of a portal's page.
    PortalWay follow(URI portal);

    /// Looks for portals on links that do not answer.
    void lookAtLinks();

    /// Forgets what was found on links.
    void forgetLinks();
  }

  /// Opens and closes the way to hosts outside the tunnel.
  interface Gate {
    /// Opens the way to these addresses and ports by TCP, and to nothing else.
    ///
    /// @throws IOException if the kernel refuses
    void open(Collection<InetSocketAddress> hosts) throws IOException;

    /// Closes the way.
    ///
    /// @throws IOException if the kernel refuses
    void shut() throws IOException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(PortalWatch.class);

  /// Times that the redirections of a portal are followed, if a page on the way does not answer.
  private static final int TRIES_MAX = 3;

  private final Search search;
  private final Gate gate;
  private final PortalNaming naming;
  private final Runnable passed;
  private final long intervalMs;
  private final ScheduledThreadPoolExecutor worker;
  private boolean carries; // of the worker, as the next four
  private @Nullable Future<?> next;
  private Set<String> opened = Set.of(); // hosts, with their ports
  private boolean isWhole;
  private int tries;
  private volatile @Nullable URI page; // written by the worker

  /// Starts to look, because the tunnel carries nothing yet.
  ///
  /// @param passed called when the portal lets the device through
  PortalWatch(Search search, Gate gate, PortalNaming naming, Duration interval, Runnable passed) {
    this.search = search;
    this.gate = gate;
    this.naming = naming;
    this.passed = passed;
    this.intervalMs = interval.toMillis();
    worker =
        new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().name("portal").daemon().factory());
    worker.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    worker.execute(this::lookLater);
  }

  /// Returns the portal's page while one stands between this device and the Internet.
  @Nullable URI page() {
    return page;
  }

  /// Records whether the tunnel carries traffic now.
  void carries(boolean now) {
    worker.execute(() -> {
      if (now == carries) {
        return;
      }
      carries = now;
      Future<?> pending = next;
      if (pending != null) {
        pending.cancel(false);
      }
      if (now) {
        shut();
      } else {
        search.forgetLinks();
      }
      lookLater();
    });
  }

  private void lookLater() {
    next = worker.schedule(this::look, intervalMs, TimeUnit.MILLISECONDS);
  }

  private void look() {
    try {
      if (carries) {
        search.lookAtLinks();
      } else {
        judge(search.probe());
      }
    } catch (RuntimeException e) {
      LOG.error("a search for captive portals has failed, the next one follows", e);
    }
    lookLater();
  }

  private void judge(PortalFinding finding) {
    switch (finding) {
      case PortalFinding.Portal(URI found) -> found(found);
      case PortalFinding.Open _ -> {
        if (page != null) {
          LOG.info("the captive portal lets this device through");
          shut();
          passed.run();
        }
      }
      case PortalFinding.Unknown(String reason) -> LOG.debug("no portal found: {}", reason);
    }
  }

  private void found(URI portal) {
    URI known = page;
    boolean isKnown = known != null && known.getHost().equals(portal.getHost());
    if (isKnown && (isWhole || tries >= TRIES_MAX)) {
      return; // the way is open; only the query of a page changes
    }
    int triesBefore = isKnown ? tries : 0;
    PortalWay way = search.follow(portal);
    if (!isKnown || !opened.containsAll(way.pages().stream().map(URI::getAuthority).toList())) {
      shut();
      open(portal, way);
    }
    isWhole = way.isWhole();
    tries = triesBefore + 1;
  }

  private static Set<String> namesOf(PortalWay way) {
    Set<String> names = new LinkedHashSet<>();
    way.pages().forEach(each -> names.add(each.getHost()));
    return names;
  }

  private void open(URI portal, PortalWay way) {
    try {
      Map<String, List<InetAddress>> addresses = addresses(portal, way);
      gate.open(places(way, addresses));
      page = portal;
      opened = way.pages().stream().map(URI::getAuthority).collect(Collectors.toSet());
      LOG.warn("a captive portal wants to be passed: open {} (its hosts: {})", portal, opened);
      name(addresses);
    } catch (IOException e) {
      LOG.error("the way to the captive portal {} cannot be opened: {}", portal, e.toString());
      shut();
    }
  }

  private static Map<String, List<InetAddress>> addresses(URI portal, PortalWay way)
      throws UnknownHostException {
    Map<String, List<InetAddress>> addresses = new LinkedHashMap<>();
    for (String host : namesOf(way)) {
      try {
        addresses.put(host, List.of(InetAddress.getAllByName(host)));
      } catch (UnknownHostException e) {
        if (host.equals(portal.getHost())) {
          throw e;
        }
        LOG.warn("the captive portal {} leads to {}, which has no address", portal, host);
      }
    }
    return addresses;
  }

  private static Set<InetSocketAddress> places(
      PortalWay way, Map<String, List<InetAddress>> addresses) {
    Set<InetSocketAddress> places = new LinkedHashSet<>();
    for (URI each : way.pages()) {
      for (InetAddress address : addresses.getOrDefault(each.getHost(), List.of())) {
        places.add(new InetSocketAddress(address, PageRequest.HTTP));
        places.add(new InetSocketAddress(address, PageRequest.HTTPS));
        if (each.getPort() > 0) {
          places.add(new InetSocketAddress(address, each.getPort()));
        }
      }
    }
    return places;
  }

  // Applications that ask a resolver behind the tunnel could not find the portal.
  private void name(Map<String, List<InetAddress>> addresses) {
    Map<String, List<InetAddress>> named = new LinkedHashMap<>(addresses);
    named.keySet().removeIf(host -> NetUtil.createInetAddressFromIpAddressString(host) != null);
    if (named.isEmpty()) {
      return;
    }
    try {
      naming.answer(named);
    } catch (IOException e) {
      LOG.warn(
          "applications may not find the captive portal, whose hosts are {}: {}",
          named,
          e.toString());
    }
  }

  private void shut() {
    page = null;
    opened = Set.of();
    try {
      gate.shut();
    } catch (IOException e) {
      LOG.error("the way to the captive portal stays open, because {}", e.toString());
    }
    try {
      naming.end();
    } catch (IOException e) {
      LOG.error("applications do not get their resolvers again, because {}", e.toString());
    }
  }

  @Override
  public void close() {
    // Shut by this thread after the last task, so that no look can open the way again.
    worker.shutdown();
    try {
      if (!worker.awaitTermination(5, TimeUnit.SECONDS)) {
        LOG.warn("the search for a captive portal has not ended in time");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    shut();
  }
}
