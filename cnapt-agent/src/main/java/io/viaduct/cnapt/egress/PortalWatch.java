package io.viaduct.cnapt.egress;

import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks for a captive portal while the tunnel carries nothing, and opens the way to the portal's
/// own host only, until it lets the device through. Owner: its own thread; any thread may call
/// [#carries] and [#page].
final class PortalWatch implements AutoCloseable {
  /// Opens and closes the way to hosts outside the tunnel.
  interface Gate {
    /// Opens the way to these addresses and ports by TCP, and to nothing else.
    ///
    /// @throws IOException if the kernel refuses
    void open(List<InetSocketAddress> hosts) throws IOException;

    /// Closes the way.
    ///
    /// @throws IOException if the kernel refuses
    void shut() throws IOException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(PortalWatch.class);
  private static final int HTTP = 80;
  private static final int HTTPS = 443;

  private final Supplier<PortalFinding> probe;
  private final Gate gate;
  private final PortalNaming naming;
  private final Runnable passed;
  private final long intervalMs;
  private final ScheduledThreadPoolExecutor worker;
  private @Nullable Future<?> next;
  private volatile @Nullable URI page; // written by the worker

  /// Starts to look, because the tunnel carries nothing yet.
  ///
  /// @param passed called when the portal lets the device through
  PortalWatch(
      Supplier<PortalFinding> probe,
      Gate gate,
      PortalNaming naming,
      Duration interval,
      Runnable passed) {
    this.probe = probe;
    this.gate = gate;
    this.naming = naming;
    this.passed = passed;
    this.intervalMs = interval.toMillis();
    worker =
        new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().name("portal").daemon().factory());
    worker.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    carries(false);
  }

  /// Returns the portal's page while one stands between this device and the Internet.
  @Nullable URI page() {
    return page;
  }

  /// Records whether the tunnel carries traffic now.
  void carries(boolean now) {
    worker.execute(() -> {
      Future<?> pending = next;
      if (now) {
        if (pending != null) {
          pending.cancel(false);
          next = null;
        }
        shut();
      } else if (pending == null) {
        next = worker.schedule(this::look, intervalMs, TimeUnit.MILLISECONDS);
      }
    });
  }

  private void look() {
    PortalFinding finding = probe.get();
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
    next = worker.schedule(this::look, intervalMs, TimeUnit.MILLISECONDS);
  }

  private void found(URI portal) {
    URI known = page;
    if (known != null && known.getHost().equals(portal.getHost())) {
      return; // the way is open; only the query of a page changes
    }
    shut();
    try {
      List<InetAddress> addresses = List.of(InetAddress.getAllByName(portal.getHost()));
      gate.open(hosts(addresses, portal.getPort()));
      page = portal;
      LOG.warn("a captive portal wants to be passed: open {}", portal);
      name(portal.getHost(), addresses);
    } catch (IOException e) {
      LOG.error("the way to the captive portal {} cannot be opened: {}", portal, e.toString());
      shut();
    }
  }

  // Applications that ask a resolver behind the tunnel could not find the portal.
  private void name(String host, List<InetAddress> addresses) {
    if (NetUtil.createInetAddressFromIpAddressString(host) != null) {
      return;
    }
    try {
      naming.answer(host, addresses);
    } catch (IOException e) {
      LOG.warn(
          "applications may not find the captive portal {}, which has the addresses {}: {}",
          host,
          addresses,
          e.toString());
    }
  }

  private static List<InetSocketAddress> hosts(List<InetAddress> addresses, int port) {
    List<InetSocketAddress> hosts = new ArrayList<>();
    for (InetAddress address : addresses) {
      hosts.add(new InetSocketAddress(address, HTTP));
      hosts.add(new InetSocketAddress(address, HTTPS));
      if (port > 0 && port != HTTP && port != HTTPS) {
        hosts.add(new InetSocketAddress(address, port));
      }
    }
    return hosts;
  }

  private void shut() {
    page = null;
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
