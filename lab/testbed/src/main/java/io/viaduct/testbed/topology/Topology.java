package io.viaduct.testbed.topology;

import java.util.List;

/// The network of the laboratory, inside one private mount and network namespace.
///
/// ```
///   device ── linkA ── gateway A ──┐
///      └───── linkB ── gateway B ──┼── core ── snapt-1, snapt-2, server, control
/// ```
///
/// The gateways masquerade where nftables is installed, otherwise they route. The laboratory's own
/// process is on the core network.
public final class Topology {
  public static final String CORE_NETWORK = "203.0.113."; // TEST-NET-3, RFC 5737
  public static final String LABORATORY = CORE_NETWORK + "1";
  public static final String CONTROL = CORE_NETWORK + "5";

  /// Addresses on the hosts of the SNAPTs, used by the far ends of benchmarks. No gateway has a
  /// route to them.
  public static final String BEHIND_SNAPT_1 = "198.51.100.1";

  public static final String BEHIND_SNAPT_2 = "198.51.100.2";

  public static final String SNAPT_1 = CORE_NETWORK + "21";
  public static final String SNAPT_2 = CORE_NETWORK + "22";
  public static final String SERVER = CORE_NETWORK + "80";

  /// Second address of the server, for measurements that bypass the tunnel.
  public static final String SERVER_BESIDE = CORE_NETWORK + "81";

  private static final String MASQUERADE =
      """
      table ip gateway {
        chain out {
          type nat hook postrouting priority srcnat
          oifname "core0" masquerade
        }
      }
      """;
  private static final String CORE_6 = "2001:db8:cafe::"; // RFC 3849

  public final NetworkNamespace device;
  public final NetworkNamespace gatewayA;
  public final NetworkNamespace gatewayB;
  public final NetworkNamespace snapt1;
  public final NetworkNamespace snapt2;
  public final NetworkNamespace server;
  public final NetworkNamespace control;
  public final boolean isMasquerading;

  private Topology(boolean isMasquerading) {
    this.isMasquerading = isMasquerading;
    Command.run("ip", "link", "set", "lo", "up");
    Command.run("ip", "link", "add", "core", "type", "bridge");
    Command.run("ip", "addr", "add", LABORATORY + "/24", "dev", "core");
    Command.run("ip", "link", "set", "core", "up");
    device = NetworkNamespace.create("device");
    gatewayA = gateway("gateway-a", "linkA", 1);
    gatewayB = gateway("gateway-b", "linkB", 2);
    snapt1 = onCore("snapt-1", 21);
    snapt2 = onCore("snapt-2", 22);
    server = onCore("server", 80);
    control = onCore("control", 5);
    for (var relay : List.of(snapt1, snapt2)) {
      relay.sysctl("net.ipv4.ip_forward", "1");
      relay.sysctl("net.ipv6.conf.all.forwarding", "1");
    }
    if (!isMasquerading) {
      routeInsteadOfMasquerading();
    }
  }

  /// Builds the network. The caller must be the first process of fresh namespaces.
  public static Topology lay() {
    keepNamespacesPrivate();
    return new Topology(Command.exists("nft") && canMasquerade());
  }

  /// Makes the names of namespaces private to this laboratory.
  public static void keepNamespacesPrivate() {
    Command.run("mount", "-t", "tmpfs", "tmpfs", "/run");
  }

  /// Returns true if the kernel accepts NAT rules. It may refuse them although nftables is
  /// installed: it may lack NAT, or forbid NAT to this user.
  private static boolean canMasquerade() {
    try {
      Command.run(List.of("nft", "-f", "-"), MASQUERADE + "delete table ip gateway\n");
      return true;
    } catch (IllegalStateException e) {
      System.err.println("viaduct: the gateways route instead of masquerading: " + e.getMessage());
      return false;
    }
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

  private NetworkNamespace gateway(String name, String link, int number) {
    var gateway = onCore(name, 10 + number);
    gateway.sysctl("net.ipv4.ip_forward", "1");
    Command.run(
        "ip", "-n", "device", "link", "add", link, "type", "veth", "peer", "name", "access",
        "netns", name);
    gateway.ip("addr add 10.71.%d.1/24 dev access\nlink set access up".formatted(number));
    connect(number);
    if (isMasquerading) {
      gateway.nft(MASQUERADE);
    }
    return gateway;
  }

  private void connect(int number) {
    device.sysctl("net.ipv4.conf.all.rp_filter", "0");
    device.ip(
        """
        addr replace 10.71.%1$d.2/24 dev link%2$s
        link set link%2$s up
        route replace default via 10.71.%1$d.1 dev link%2$s metric %3$d
        """
            .formatted(number, number == 1 ? "A" : "B", 100 * number));
  }

  /// Adds routes back to the access networks and to the SNAPTs' pools, for a host without nftables.
  private void routeInsteadOfMasquerading() {
    for (var host : List.of(snapt1, snapt2, server, control)) {
      host.ip(
          """
          route replace 10.71.1.0/24 via 203.0.113.11
          route replace 10.71.2.0/24 via 203.0.113.12
          """);
    }
    for (var host : List.of(server, control)) {
      host.ip(
          """
          route replace 10.201.0.0/16 via 203.0.113.21
          route replace 10.202.0.0/16 via 203.0.113.22
          """);
    }
  }

  /// Gives the server its second address. The device gets a host route to it through gateway A,
  /// which takes precedence over the tunnel's default route.
  public void passTunnelBy() {
    server.ip("addr add %s/24 dev core0".formatted(SERVER_BESIDE));
    device.ip("route replace %s via 10.71.1.1 dev linkA".formatted(SERVER_BESIDE));
  }

  /// Takes link A down as if a cable were pulled. Its routes disappear, and link B remains.
  public void loseLinkA() {
    device.ip("link set linkA down");
  }

  /// Brings link A up again, with its preferred routes.
  public void restoreLinkA() {
    connect(1);
  }

  /// Returns a drawing that fits any terminal.
  public String drawing() {
    String how = isMasquerading ? "masquerades" : "only routes";
    return """
      device ─ linkA ─ gateway A (%1$s) ─┐
         └──── linkB ─ gateway B (%1$s) ─┴─ core ─ snapt-1, snapt-2, server, control
    """
        .formatted(how);
  }
}
