package io.viaduct.testbed.topology;

import io.viaduct.testbed.topology.LinkPlan.Family;
import io.viaduct.testbed.weather.Direction;
import io.viaduct.testbed.weather.WeatherText;
import io.viaduct.testbed.weather.WeatheredLink;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The network of the laboratory, inside one private mount and network namespace. A [NetworkPlan]
/// describes its devices and access links; this is the standard plan:
///
/// ```
///   device ── linkA ── gateway A ──┐
///      └───── linkB ── gateway B ──┼── core ── snapt-1, snapt-2, server, control
/// ```
///
/// Further bridges are on hosts `bridge-2` and so on, beside `control`. The gateways masquerade
/// where nftables is installed, otherwise they route. The laboratory's own process is on the core
/// network.
public final class Topology {
  public static final String CORE_NETWORK = "203.0.113."; // TEST-NET-3, RFC 5737
  public static final String LABORATORY = CORE_NETWORK + "1";
  public static final String CONTROL = bridge(1);

  private static final int FIRST_BRIDGE = 5;
  private static final int FIRST_SNAPT = 21;

  /// Addresses on the hosts of the first SNAPTs, used by the far ends of benchmarks. No gateway has
  /// a route to them.
  public static final String BEHIND_SNAPT_1 = behindSnapt(1);

  public static final String BEHIND_SNAPT_2 = behindSnapt(2);

  public static final String SNAPT_1 = snapt(1);
  public static final String SNAPT_2 = snapt(2);
  public static final String SERVER = CORE_NETWORK + "80";

  /// Second address of the server, for measurements that bypass the tunnel.
  public static final String SERVER_BESIDE = CORE_NETWORK + "81";

  static final String CORE_6 = "2001:db8:cafe::"; // RFC 3849

  /// The address of IPv6 of the first SNAPT.
  public static final String SNAPT_1_6 = snapt6(1);

  /// The server's address of IPv6.
  public static final String SERVER_6 = CORE_6 + "80";

  private static final String MASQUERADE =
      """
      table %1$s gateway {
        chain out {
          type nat hook postrouting priority srcnat
          oifname "core0" masquerade
        }
      }
      """;
  private static final String IPV4 = "ip"; // families of nft(8)
  private static final String IPV6 = "ip6";

  public final NetworkNamespace device;
  public final NetworkNamespace snapt1;
  public final NetworkNamespace snapt2;
  public final NetworkNamespace server;
  public final NetworkNamespace control;
  public final boolean isMasquerading;
  private final NetworkPlan plan;
  private final boolean isMasquerading6;
  private final List<NetworkNamespace> devices = new ArrayList<>();
  private final List<NetworkNamespace> snapts = new ArrayList<>();
  private final List<NetworkNamespace> bridges = new ArrayList<>();
  private final Map<String, NetworkNamespace> gateways = new LinkedHashMap<>();
  private final Map<String, NetworkNamespace> switches = new LinkedHashMap<>();
  private final List<WeatheredCable> weatheredCables = new ArrayList<>();

  private Topology(NetworkPlan plan, boolean isMasquerading, boolean isMasquerading6) {
    this.plan = plan;
    this.isMasquerading = isMasquerading;
    this.isMasquerading6 = isMasquerading6;
    Command.run("ip", "link", "set", "lo", "up");
    Command.run("ip", "link", "add", "core", "type", "bridge");
    Command.run("ip", "addr", "add", LABORATORY + "/24", "dev", "core");
    Command.run("ip", "link", "set", "core", "up");
    for (int number = 1; number <= plan.devices(); number++) {
      var added = NetworkNamespace.create(NetworkPlan.deviceName(number));
      added.sysctl("net.ipv4.conf.all.rp_filter", "0");
      devices.add(added);
    }
    device = devices.getFirst();
    plan.links().forEach(this::addLink);
    for (int number = 1; number <= plan.snapts(); number++) {
      snapts.add(onCore("snapt-" + number, hostOfSnapt(number)));
    }
    snapt1 = snapts.get(0);
    snapt2 = snapts.get(1);
    server = onCore("server", 80);
    for (int number = 1; number <= plan.bridges(); number++) {
      bridges.add(onCore(bridgeHost(number), hostOfBridge(number)));
    }
    control = bridges.getFirst();
    snapts.forEach(Topology::forward);
    addRoutesBack();
  }

  /// Builds the standard network. The caller must be the first process of fresh namespaces.
  public static Topology lay() {
    return lay(NetworkPlan.STANDARD);
  }

  /// Builds a network. The caller must be the first process of fresh namespaces.
  public static Topology lay(NetworkPlan plan) {
    keepNamespacesPrivate();
    boolean hasIpv6 = plan.links().stream().anyMatch(link -> link.has(Family.IPV6));
    return new Topology(plan, canMasquerade(IPV4), hasIpv6 && canMasquerade(IPV6));
  }

  /// Makes the names of namespaces private to this laboratory.
  public static void keepNamespacesPrivate() {
    Command.run("mount", "-t", "tmpfs", "tmpfs", "/run");
  }

  /// Returns true if the kernel accepts NAT rules. It may refuse them although nftables is
  /// installed: it may lack NAT, or forbid NAT to this user.
  private static boolean canMasquerade(String family) {
    if (!Command.exists("nft")) {
      return false;
    }
    try {
      String rules = MASQUERADE.formatted(family) + "delete table %s gateway\n".formatted(family);
      Command.run(List.of("nft", "-f", "-"), rules);
      return true;
    } catch (IllegalStateException e) {
      System.err.println("viaduct: the gateways route instead of masquerading: " + e.getMessage());
      return false;
    }
  }

  private static void forward(NetworkNamespace router) {
    router.sysctl("net.ipv4.ip_forward", "1");
    router.sysctl("net.ipv6.conf.all.forwarding", "1");
  }

  private NetworkNamespace onCore(String name, int host) {
    var namespace = NetworkNamespace.create(name);
    String port = "core-" + host;
    Command.run("ip", "link", "add", port, "type", "veth", "peer", "name", "core0", "netns", name);
    Command.run("ip", "link", "set", port, "master", "core", "up");
    namespace.sysctl("net.ipv4.conf.all.rp_filter", "0");
    namespace.ip(
        """
        addr add %s%d/24 dev core0
        addr add %s%d/64 dev core0 nodad
        link set core0 up
        """
            .formatted(CORE_NETWORK, host, CORE_6, host));
    return namespace;
  }

  /// Adds a gateway, and a link from each device to it or to its switch.
  private void addLink(LinkPlan link) {
    var gateway = onCore(link.gateway(), 10 + plan.number(link));
    gateways.put(link.name(), gateway);
    forward(gateway);
    var access = new AccessLink(plan, link);
    if (plan.hasSwitch(link)) {
      NetworkNamespace hub =
          switches.computeIfAbsent(
              link.subnetOf(), _ -> AccessLink.newSwitch(plan.link(link.subnetOf())));
      access.joinSwitch(gateway, hub);
      for (int number = 1; number <= plan.devices(); number++) {
        String port = "d%d-%s".formatted(number, link.device());
        access.join(devices.get(number - 1), hub, port).ifPresent(weatheredCables::add);
        hub.ip("link set %s master lan up".formatted(port));
      }
    } else {
      access.join(device, gateway, "access").ifPresent(weatheredCables::add);
    }
    access.configureGateway(gateway);
    for (int number = 1; number <= plan.devices(); number++) {
      access.connect(number, devices.get(number - 1));
    }
    if (isMasquerading) {
      gateway.nft(MASQUERADE.formatted(IPV4));
    }
    if (isMasquerading6) {
      gateway.nft(MASQUERADE.formatted(IPV6));
    }
  }

  /// Adds routes back to the access networks and to the SNAPTs' pools, for a host without nftables.
  private void addRoutesBack() {
    for (LinkPlan link : plan.links()) {
      for (Family family : link.families()) {
        boolean isHidden = family == Family.IPV4 ? isMasquerading : isMasquerading6;
        if (!isHidden && link.subnetOf().equals(link.name())) {
          int host = 10 + plan.number(link);
          String via = (family == Family.IPV4 ? CORE_NETWORK : CORE_6) + host;
          String net = AccessLink.prefix(plan.gatewayAddress(link, family), family);
          for (var each : onCore()) {
            each.ip("route replace %s via %s".formatted(net, via));
          }
        }
      }
    }
    if (!isMasquerading) {
      var hosts = new ArrayList<>(bridges);
      hosts.add(server);
      for (var host : hosts) {
        for (int number = 1; number <= plan.snapts(); number++) {
          host.ip("route replace %s via %s".formatted(pool(number), snapt(number)));
        }
      }
    }
  }

  private static int hostOfBridge(int number) {
    return FIRST_BRIDGE - 1 + number;
  }

  /// Returns the address of a bridge.
  ///
  /// @param number from 1; the first one is on the host of billing
  public static String bridge(int number) {
    return CORE_NETWORK + hostOfBridge(number);
  }

  /// Returns the name of a bridge's host.
  public static String bridgeHost(int number) {
    return number == 1 ? "control" : "bridge-" + number;
  }

  static int hostOfSnapt(int number) {
    return FIRST_SNAPT - 1 + number;
  }

  /// Returns the address of a SNAPT.
  ///
  /// @param number from 1
  public static String snapt(int number) {
    return CORE_NETWORK + hostOfSnapt(number);
  }

  /// Returns the address of IPv6 of a SNAPT.
  public static String snapt6(int number) {
    return CORE_6 + hostOfSnapt(number);
  }

  /// Returns the address on the host of a SNAPT that no gateway has a route to.
  public static String behindSnapt(int number) {
    return "198.51.100." + number; // TEST-NET-2, RFC 5737
  }

  /// Returns the pool of public addresses of a SNAPT.
  public static String pool(int number) {
    return "10.%d.0.0/16".formatted(200 + number);
  }

  public NetworkPlan plan() {
    return plan;
  }

  /// Returns the device namespaces, the first one first.
  public List<NetworkNamespace> devices() {
    return List.copyOf(devices);
  }

  /// Returns the gateway of a link.
  public NetworkNamespace gateway(String link) {
    return java.util.Objects.requireNonNull(gateways.get(plan.link(link).name()));
  }

  /// Returns all namespaces of the network.
  public List<NetworkNamespace> namespaces() {
    var all = new ArrayList<>(devices);
    all.addAll(gateways.values());
    all.addAll(switches.values());
    all.addAll(onCore());
    return all;
  }

  /// Returns the hosts of the core, without the gateways.
  private List<NetworkNamespace> onCore() {
    var all = new ArrayList<>(snapts);
    all.add(server);
    all.addAll(bridges);
    return all;
  }

  /// Returns the cables with weather, one per device and link.
  public List<WeatheredCable> weatheredCables() {
    return List.copyOf(weatheredCables);
  }

  /// Changes the weather of a link, in both directions and for all devices.
  ///
  /// @param settings as the laboratory's prompt takes them: `delay=10ms`, `loss=20%`
  /// @throws IllegalArgumentException for a wrong setting
  public void weather(String link, String... settings) {
    for (Direction direction : Direction.values()) {
      weather(link, direction, settings);
    }
  }

  /// Changes the weather of one direction of a link, for all devices.
  public void weather(String link, Direction direction, String... settings) {
    for (WeatheredCable each : weatheredCables) {
      if (each.link().name().equals(link)) {
        WeatheredLink cable = each.weathered();
        cable.change(direction, WeatherText.apply(cable.weather(direction), List.of(settings)));
      }
    }
  }

  boolean isMasquerading(Family family) {
    return family == Family.IPV4 ? isMasquerading : isMasquerading6;
  }

  /// Gives the server its second address. The device gets a host route to it through gateway A, and
  /// a rule that looks it up before any tunnel's rules.
  public void passTunnelBy() {
    server.ip("addr add %s/24 dev core0".formatted(SERVER_BESIDE));
    device.ip("route replace %s via 10.71.1.1 dev linkA".formatted(SERVER_BESIDE));
    device.ip(besideRule(SERVER_BESIDE));
  }

  /// Returns the rule that follows the main table's routes to a host before any tunnel does.
  public static String besideRule(String host) {
    return "rule add to %s priority 100 lookup main suppress_prefixlength 0".formatted(host);
  }

  /// Takes a link down on all devices as if a cable were pulled. Its routes disappear, and the
  /// other links remain.
  public void loseLink(String name) {
    LinkPlan link = plan.link(name);
    devices.forEach(each -> each.ip("link set %s down".formatted(link.device())));
  }

  /// Brings a link up again on all devices, with its routes.
  public void restoreLink(String name) {
    LinkPlan link = plan.link(name);
    var access = new AccessLink(plan, link);
    for (int number = 1; number <= plan.devices(); number++) {
      access.connect(number, devices.get(number - 1));
    }
  }

  /// Returns a drawing that fits any terminal.
  public String drawing() {
    if (!plan.equals(NetworkPlan.STANDARD)) {
      return new Drawing(this).toString();
    }
    String how = isMasquerading ? "masquerades" : "only routes";
    return """
      device ─ linkA ─ gateway A (%1$s) ─┐
         └──── linkB ─ gateway B (%1$s) ─┴─ core ─ snapt-1, snapt-2, server, control
    """
        .formatted(how);
  }
}
