package io.viaduct.testbed.bench;

import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.PortBytes;
import io.viaduct.testbed.topology.Topology;
import java.util.List;

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

  private static final int SEGMENTS_MAX = 65535; // the kernel's own GSO_MAX_SEGS

  private final Topology topology;

  private BenchNetwork(Topology topology) {
    this.topology = topology;
  }

  static BenchNetwork prepare(Topology topology) {
    var network = new BenchNetwork(topology);
    network.far().ip("addr add " + BEHIND + "/32 dev lo");
    network.routes();
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

  /// Adds routes that bypass our tunnel: to the far end in the underlay, and to the inner networks
  /// of other tunnels. Without them our default route would be used while their own interface is
  /// missing.
  private void routes() {
    device()
        .ip(
            """
            route replace %1$s via 10.71.1.1 dev linkA metric 100
            route replace %1$s via 10.71.2.1 dev linkB metric 200
            route replace unreachable 10.99.0.0/16
            """
                .formatted(FAR));
  }

  /// Takes link A down as if a cable were pulled. Link B is already up and has carried no packets
  /// so far.
  void loseLinkA() {
    topology.loseLink("A");
  }

  /// Takes link B down, so that nothing can leave by it.
  void loseLinkB() {
    topology.loseLink("B");
  }

  void restoreLinkA() {
    topology.restoreLink("A");
    routes();
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
