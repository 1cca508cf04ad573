package io.viaduct.cnapt.egress;

import io.netty.channel.EventLoop;
import io.viaduct.cnapt.classification.AddressPrefix;
import io.viaduct.cnapt.classification.Classifier;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sets the addresses of the TUN and the policy routing for it (docs/adr/0010). Per family:
///
///     priority p - 1  of outage.direct lookup main                     only while the tunnel carries nothing
///     priority p - 1  to PORTAL lookup main                            only while a captive portal stands in the way
///     priority p - 1  to RESOLVER fwmark N lookup T                    N: sockets of processes outside, once there are some
///     priority p - 1  fwmark N lookup main, then unreachable           they stay outside
///     priority p      to RESOLVER fwmark 0 lookup T                    queries to the resolvers of `dns` enter the tunnel
///     priority p      to PREFIX, or uidrange USERS: lookup main        `split-tunnel` stays outside
///     priority p      the same, fwmark 0: unreachable                  also if the main table has no route
///     priority p      to LOCAL lookup main suppress_prefixlength 0     `routing.local` stays direct
///     priority p + 1  not from all fwmark M lookup T                   the agent's own sockets stay direct
///     table T         default dev TUN                                  everything else enters the tunnel
///
/// Towards a peer there are no rules: the main table has a route through the TUN for each of its prefixes.
///
/// Finds rules of a killed agent by priority, mark, table and protocol, and replaces them. Blocking; for the thread that starts and stops the agent.
public final class EgressRouting implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EgressRouting.class);
  private static final Path IPV4_SETTINGS = Path.of("/proc/sys/net/ipv4/conf");
  private static final String STRICT = "1";

  // MAXNS of resolv.h; the configuration allows no more.
  private static final int RESOLVERS_MAX = 3;

  // With the kernel's default of 500, a stream of 6000 packets/s lost packets whenever the agent
  // was not scheduled for 80 ms. TCP never fills this queue, because its own limit on queued bytes
  // is lower.
  private static final int QUEUE_PACKETS = 2000;

  private final RoutingSettings routing;
  private final List<InetAddress> resolvers;
  private final SplitTunnel split;
  private final List<AddressFamily> families;
  private final OutsideRules outside;
  private final @Nullable OutsideProcesses processes; // null without rules
  private final List<AddressPrefix> networks; // behind a peer
  private final String device;
  private volatile @Nullable Outage outage; // written by the starting thread
  private volatile @Nullable PortalSearch search; // written by the starting thread
  private volatile @Nullable PortalWatch portal; // written by the starting thread
  private volatile int mtu; // written by the thread that sets it

  private EgressRouting(
      RoutingSettings routing,
      List<InetAddress> resolvers,
      SplitTunnel split,
      List<AddressFamily> families,
      List<AddressPrefix> networks,
      String device,
      int mtu) {
    this.routing = routing;
    this.resolvers = resolvers;
    this.split = split;
    this.families = families;
    this.networks = networks;
    this.outside = new OutsideRules(routing, families);
    this.processes =
        routing.enabled()
            ? new OutsideProcesses(split, outside.markGate(split.mark(), resolvers))
            : null;
    this.device = device;
    this.mtu = mtu;
  }

  /// Sets the addresses and MTU of the TUN, and routes the traffic into it.
  ///
  /// @param device name of a TUN that exists
  /// @param mtu MTU of the TUN, in bytes
  /// @param resolvers resolvers that are reached through the tunnel even if they are in a connected
  ///   network
  /// @param split traffic that stays outside the tunnel
  /// @throws IOException if the kernel refuses a change; the changes before it are then undone
  public static EgressRouting lead(
      TunSettings tun,
      String device,
      int mtu,
      RoutingSettings routing,
      List<InetAddress> resolvers,
      SplitTunnel split)
      throws IOException {
    EgressRouting egress =
        new EgressRouting(routing, resolvers, split, familiesOf(tun), List.of(), device, mtu);
    egress.set(tun);
    return egress;
  }

  /// Sets the addresses and MTU of the TUN, and routes the networks behind a peer into it.
  ///
  /// @param device name of a TUN that exists
  /// @param mtu MTU of the TUN, in bytes
  /// @param routing its key `enabled` leaves the routes to the operator; there are no rules
  /// @throws IOException if the kernel refuses a change; the changes before it are then undone
  public static EgressRouting towards(
      TunSettings tun,
      String device,
      int mtu,
      RoutingSettings routing,
      List<AddressPrefix> networks)
      throws IOException {
    EgressRouting egress =
        new EgressRouting(
            routing.disabled(),
            List.of(),
            SplitTunnel.NONE,
            familiesOf(tun),
            routing.enabled() ? networks : List.of(),
            device,
            mtu);
    egress.set(tun);
    return egress;
  }

  private void set(TunSettings tun) throws IOException {
    boolean complete = false;
    try {
      removeLeftOvers();
      for (AddressFamily family : families) {
        IpCommand.run(family, commands(family, tun));
      }
      if (processes != null) {
        processes.start();
      }
      warnOfStrictFilters();
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  /// Returns the present MTU of the TUN, in bytes.
  public int mtu() {
    return mtu;
  }

  /// Sets the MTU of the TUN on another thread, because the caller may be an event loop.
  public void fit(int bytes) {
    if (bytes != mtu) {
      Thread.ofPlatform().name("mtu").start(() -> mtu(bytes));
    }
  }

  private void mtu(int bytes) {
    try {
      IpCommand.run(AddressFamily.IPV4, List.of("link set dev " + device + " mtu " + bytes));
      mtu = bytes;
    } catch (IOException e) {
      LOG.error(
          "the MTU of the TUN cannot be changed, larger packets are refused: {}", e.toString());
    }
  }

  private static List<AddressFamily> familiesOf(TunSettings tun) {
    List<AddressFamily> families = new ArrayList<>();
    if (!tun.ipv4().isEmpty()) {
      families.add(AddressFamily.IPV4);
    }
    if (!tun.ipv6().isEmpty()) {
      if (AddressFamily.IPV6.isOnThisHost()) {
        families.add(AddressFamily.IPV6);
      } else {
        LOG.info("this host has no IPv6: the tunnel carries IPv4 only");
      }
    }
    return families;
  }

  private List<String> commands(AddressFamily family, TunSettings tun) {
    List<String> commands = new ArrayList<>();
    // addrgenmode none: without a link-local address, the kernel sends no router solicitations into
    // the tunnel.
    if (AddressFamily.IPV6.isOnThisHost()) {
      commands.add("link set dev " + device + " addrgenmode none");
    }
    commands.add("link set dev " + device + " mtu " + mtu + " txqueuelen " + QUEUE_PACKETS + " up");
    String address = family == AddressFamily.IPV4 ? tun.ipv4() + "/32" : tun.ipv6() + "/128 nodad";
    commands.add("address replace " + address + " dev " + device);
    networks.stream()
        .filter(each -> each.isIpv6() == (family == AddressFamily.IPV6))
        .forEach(each -> commands.add("route replace " + each + " dev " + device));
    if (routing.enabled()) {
      commands.add("route replace default dev " + device + " table " + routing.table());
      // Rules of one priority are evaluated in the order in which they were added.
      resolvers.stream()
          .filter(family::includes)
          .forEach(each -> commands.add("rule add to " + each.getHostAddress() + resolverRule()));
      commands.addAll(outside.ofSplit(family, split));
      commands.addAll(outside.ofLocal(family));
      rules().forEach(rule -> commands.add("rule add " + rule));
    }
    return commands;
  }

  // Only for unmarked packets, because the agent may use the same resolver outside the tunnel.
  private String resolverRule() {
    return " priority %d fwmark 0/0xffffffff lookup %d"
        .formatted(routing.priority(), routing.table());
  }

  private List<String> rules() {
    return List.of(
        "priority %d not from all fwmark %d lookup %d"
            .formatted(routing.priority() + 1, routing.mark(), routing.table()));
  }

  // An agent of the version before followed all routes of the main table.
  private List<String> formerRules() {
    return List.of(
        "priority " + routing.priority() + " from all lookup main suppress_prefixlength 0");
  }

  private void removeLeftOvers() throws IOException {
    if (!routing.enabled()) {
      return;
    }
    for (AddressFamily family : families) {
      List<String> commands = new ArrayList<>();
      // Two passes: two concurrent starts may have added each rule twice, but never more often.
      for (int time = 0; time < 2; time++) {
        rules().forEach(rule -> commands.add("rule del " + rule));
        formerRules().forEach(rule -> commands.add("rule del " + rule));
        for (int each = 0; each < RESOLVERS_MAX; each++) {
          commands.add(
              "rule del"
                  + resolverRule()); // without an address, this matches the rule of any resolver
        }
      }
      commands.addAll(outside.allRemovals(family));
      commands.add("route flush table " + routing.table());
      IpCommand.runAnyway(family, commands);
    }
  }

  /// Lets the traffic of `outage.direct` out whenever the tunnel carries nothing for the set time.
  ///
  /// @param classifier table of applications
  public void guard(TunSettings tun, OutageSettings settings, Classifier classifier) {
    List<String> selectors = settings.selectors(classifier);
    if (routing.enabled() && !selectors.isEmpty()) {
      outage = new Outage(outside.outageGate(tun, selectors), settings.after());
    }
  }

  OutsideRules outside() {
    return outside;
  }

  /// Returns the part that keeps processes outside; null if the agent sets no rules.
  public @Nullable OutsideProcesses processes() {
    return processes;
  }

  /// Returns the traffic that never enters the tunnel.
  public KeptOutside keptOutside() {
    return processes == null
        ? KeptOutside.NONE
        : new KeptOutside(
            split.prefixes().stream().map(Object::toString).toList(),
            split.users().stream().map(Object::toString).toList(),
            processes.groups(),
            processes.awaited());
  }

  /// Records whether the tunnel carries traffic now. Any thread may call this.
  public void carries(boolean now) {
    Outage guarding = outage;
    if (guarding != null) {
      guarding.carries(now);
    }
    PortalWatch watching = portal;
    if (watching != null) {
      watching.carries(now);
    }
  }

  /// Looks for a captive portal. Whenever the tunnel carries nothing, opens the way to it.
  ///
  /// @param network tells the SNAPTs and the links
  /// @param loop of an `EpollIoHandler`, for the probes
  /// @param naming tells applications the portal's addresses
  /// @param passed called when a portal lets the device through
  public void watchPortal(
      PortalSettings settings,
      ProbedNetwork network,
      EventLoop loop,
      PortalNaming naming,
      Runnable passed) {
    if (routing.enabled() && settings.looks()) {
      PortalSearch asking =
          new PortalSearch(settings, network, loop, routing.mark(), System::nanoTime);
      search = asking;
      portal = new PortalWatch(asking, outside.portalGate(), naming, settings.interval(), passed);
    }
  }

  /// Returns the page of the captive portal that stands between this device and the Internet; empty
  /// if none was noticed.
  public String portal() {
    PortalWatch watching = portal;
    URI page = watching == null ? null : watching.page();
    return page == null ? "" : page.toString();
  }

  /// Returns the page of the captive portal in the way of each link that does not answer while
  /// others carry the tunnel, by the link's name.
  public Map<String, String> portalsOnLinks() {
    PortalSearch asking = search;
    Map<String, String> pages = new TreeMap<>();
    if (asking != null) {
      asking.onLinks().forEach((link, page) -> pages.put(link, page.toString()));
    }
    return pages;
  }

  // In the strict mode of RFC 3704, the kernel looks up the sender's route without the mark. It
  // finds the TUN and drops the answer.
  private void warnOfStrictFilters() {
    if (!routing.enabled() || STRICT.equals(read(IPV4_SETTINGS.resolve("all/src_valid_mark")))) {
      return;
    }
    try (DirectoryStream<Path> interfaces = Files.newDirectoryStream(IPV4_SETTINGS)) {
      for (Path each : interfaces) {
        if (STRICT.equals(read(each.resolve("rp_filter")))) {
          LOG.warn(
              "{}/rp_filter is 1 (strict), answers to the agent may be dropped: set it to 2 (loose)",
              each);
        }
      }
    } catch (IOException e) {
      LOG.debug("{} cannot be listed: {}", IPV4_SETTINGS, e.toString());
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException _) {
      return ""; // the kernel does not have this setting
    }
  }

  /// Removes rules and routes. The addresses are removed together with the TUN.
  @Override
  public void close() {
    Outage guarding = outage;
    if (guarding != null) {
      guarding.close();
    }
    PortalWatch watching = portal;
    if (watching != null) {
      watching.close();
    }
    if (processes != null) {
      processes.close();
    }
    try {
      removeLeftOvers();
    } catch (IOException e) {
      LOG.error(
          "rules and routes cannot be removed, the next start replaces them: {}", e.toString());
    }
  }
}
