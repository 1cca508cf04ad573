package io.viaduct.testbed.bench;

import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.topology.LinkPlan;
import io.viaduct.testbed.topology.LinkPlan.Family;
import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.PortBytes;
import io.viaduct.testbed.topology.Topology;
import java.util.List;
import java.util.Map;

/// The network of the measurements. The far ends of all tunnels and of the traffic are in the
/// namespace of snapt-1, so that all paths have the same length. The second of our tunnels ends in
/// the namespace of snapt-2, at the same distance.
///
/// ```
///   device ── linkA ── gateway A ──┐
///      └───── linkB ── gateway B ──┴── core ── far (snapt-1)
/// ```
final class BenchNetwork {
  /// Address of the far end in the underlay. The device has host routes to it that bypass our
  /// tunnel.
  static final String FAR = Topology.SNAPT_1;

  /// Second address of the far end, which no gateway has a route to. It is reachable only through
  /// our tunnel (TEST-NET-2, RFC 5737).
  static final String BEHIND = Topology.BEHIND_SNAPT_1;

  /// Address that is reachable only through our second tunnel, in the namespace of snapt-2.
  static final String BEHIND_SECOND = Topology.BEHIND_SNAPT_2;

  /// Describes the effect of [#shape] in reports.
  static final String SHAPED = "each way, tbf with burst 16 kB and latency 50 ms";

  // Metrics of the routes that bypass our tunnel.
  private static final Map<String, Integer> BESIDE = Map.of("A", 100, "B", 200);

  private static final int SEGMENTS_MAX = 65535; // the kernel's own GSO_MAX_SEGS

  private static final List<Integer> OTHER_ADDRESSES = List.of(76, 77); // of other devices

  private final Topology topology;

  private BenchNetwork(Topology topology) {
    this.topology = topology;
  }

  static BenchNetwork prepare(Topology topology) {
    var network = new BenchNetwork(topology);
    network.far().ip("addr add " + BEHIND + "/32 dev lo");
    network.device().ip("route replace unreachable 10.99.0.0/16");
    network.device().ip(Topology.besideRule(FAR));
    BESIDE.keySet().forEach(network::besideTunnel);
    return network;
  }

  NetworkNamespace device() {
    return topology.device;
  }

  NetworkNamespace far() {
    return topology.snapt1;
  }

  /// Routes the second tunnel's address through our second tunnel.
  void prepareSecond() {
    secondFar().ip("addr add " + BEHIND_SECOND + "/32 dev lo");
    device()
        .ip(
            "rule add priority 30290 to %s lookup %d"
                .formatted(BEHIND_SECOND, Plans.SECOND_AGENT_TABLE));
  }

  /// Returns the namespace of a peer's target.
  NetworkNamespace far(String target) {
    return target.equals(BEHIND_SECOND) ? secondFar() : far();
  }

  /// Returns the namespace in which our second tunnel ends.
  NetworkNamespace secondFar() {
    return topology.snapt2;
  }

  /// Returns the gateway of link A. Every byte between device and far end passes its port `access`.
  NetworkNamespace router() {
    return topology.gateway("A");
  }

  /// Returns the bytes of IP packets between device and far end so far, in both directions.
  long passedBytes() {
    return router().call(() -> PortBytes.passed("access"));
  }

  boolean isMasquerading() {
    return topology.isMasquerading;
  }

  /// Adds a link's route that bypasses our tunnel: to the far end in the underlay. Without it our
  /// default route would be used. Other tunnels take the route with the lowest metric.
  void besideTunnel(String link) {
    Integer metric = BESIDE.get(link);
    if (metric != null) {
      String gateway = topology.plan().gatewayAddress(topology.plan().link(link), Family.IPV4);
      device()
          .ip("route replace %s via %s dev link%s metric %d".formatted(FAR, gateway, link, metric));
    }
  }

  /// Makes other tunnels prefer link B to link A, or removes this preference.
  void preferLinkB(boolean isPreferred) {
    device()
        .ip(
            "route %s %s via 10.71.2.1 dev linkB metric 50"
                .formatted(isPreferred ? "replace" : "del", FAR));
  }

  /// Gives the device's link another address in the place of all that it has, as another network
  /// does.
  void renumber(String link) {
    LinkPlan plan = topology.plan().link(link);
    Family family = plan.families().contains(Family.IPV4) ? Family.IPV4 : Family.IPV6;
    String there = device().run("ip", "-brief", "address", "show", "dev", plan.device());
    String next =
        OTHER_ADDRESSES.stream()
            .map(number -> topology.plan().deviceAddress(number, plan, family))
            .filter(address -> !there.contains(address))
            .findFirst()
            .orElseThrow();
    renumber(plan, family, next);
  }

  /// Gives the device's link this address in the place of all that it has.
  void renumber(String link, String address) {
    renumber(topology.plan().link(link), Family.IPV4, address);
  }

  private void renumber(LinkPlan link, Family family, String address) {
    String size = family == Family.IPV4 ? "/24" : "/64 nodad";
    device()
        .ip(
            """
            addr flush dev %1$s scope global
            addr add %2$s dev %1$s
            route replace default via %3$s dev %1$s metric %4$d
            """
                .formatted(
                    link.device(),
                    address + size,
                    topology.plan().gatewayAddress(link, family),
                    topology.plan().metric(link)));
    besideTunnel(link.name());
  }

  /// Takes a link down as if a cable were pulled.
  void lose(String link) {
    topology.loseLink(link);
  }

  /// Lets the gateway of a link drop all packets of the device without an answer. The link stays
  /// up.
  void silence(String link) {
    topology.gateway(link).ip("rule add pref 10 iif access blackhole");
  }

  /// Brings a link up again, with its routes.
  void restore(String link) {
    topology.restoreLink(link);
    besideTunnel(link);
  }

  /// Limits both directions by token buckets at the gateway, as on an access line.
  ///
  /// @param rate of tc(8), such as `10mbit`
  void shape(String rate) {
    for (String port : List.of("access", "core0")) {
      router()
          .run(
              ("tc qdisc replace dev %s root tbf rate %s burst 16kb latency 50ms")
                  .formatted(port, rate)
                  .split(" "));
    }
  }

  void unshape() {
    for (String port : List.of("access", "core0")) {
      router().run("tc", "qdisc", "del", "dev", port, "root");
    }
  }

  /// Allows or forbids superpackets between the namespaces. Without them, byte counters see the
  /// packets as on a wire.
  void superpackets(boolean allowed) {
    int segments = allowed ? SEGMENTS_MAX : 1;
    device().ip("link set linkA gso_max_segs " + segments);
    router()
        .ip(
            "link set access gso_max_segs %1$d\nlink set core0 gso_max_segs %1$d"
                .formatted(segments));
    far().ip("link set core0 gso_max_segs " + segments);
    secondFar().ip("link set core0 gso_max_segs " + segments);
  }
}
