package io.viaduct.testbed.bench;

import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.Topology;
import java.util.List;

/// Where the measurements take place: the laboratory's network with every tunnel's far end, and the
/// far end of the traffic, in the namespace of snapt-1, so that no way is longer than another.
/// Where two of ours run side by side, the second ends in the namespace of snapt-2, which is as far
/// away.
///
/// ```
///   device ── linkA ── gateway A ──┐
///      └───── linkB ── gateway B ──┴── core ── far (snapt-1)
/// ```
final class Ground {
  /// The far end as the underlay knows it: the device's host routes pass our tunnel by.
  static final String FAR = Topology.SNAPT_1;

  /// The far end once more, at an address that no gateway knows a way to: only our tunnel leads
  /// there. TEST-NET-2, RFC 5737.
  static final String BEHIND = Topology.BEHIND_SNAPT_1;

  /// The same behind our second tunnel, in the namespace of snapt-2.
  static final String BEHIND_SECOND = Topology.BEHIND_SNAPT_2;

  /// What [#shape] makes, for people.
  static final String SHAPED = "each way, tbf with burst 16 kB and latency 50 ms";

  private static final int SEGMENTS_MAX = 65535; // the kernel's own GSO_MAX_SEGS

  private final Topology topology;

  private Ground(Topology topology) {
    this.topology = topology;
  }

  static Ground prepare(Topology topology) {
    var ground = new Ground(topology);
    ground.far().ip("addr add " + BEHIND + "/32 dev lo");
    ground.routes();
    return ground;
  }

  NetworkNamespace device() {
    return topology.device;
  }

  NetworkNamespace far() {
    return topology.snapt1;
  }

  /// The way that our second tunnel takes.
  void prepareSecond() {
    secondFar().ip("addr add " + BEHIND_SECOND + "/32 dev lo");
    device()
        .ip(
            "rule add priority 30290 to %s lookup %d"
                .formatted(BEHIND_SECOND, Plans.SECOND_AGENT_TABLE));
  }

  /// Where our second tunnel ends.
  NetworkNamespace secondFar() {
    return topology.snapt2;
  }

  /// The gateway of link A: every byte between device and far end passes its port `access`.
  NetworkNamespace router() {
    return topology.gatewayA;
  }

  boolean masquerading() {
    return topology.masquerading;
  }

  /// Past our tunnel: the underlay's far end, and the inner networks of the others, which would
  /// take its default route whenever their own interface is gone.
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

  /// Link A goes down as when a cable is pulled; link B, up already and unused so far, remains.
  void loseLinkA() {
    topology.loseLinkA();
  }

  void restoreLinkA() {
    topology.restoreLinkA();
    routes();
  }

  /// Both directions through token buckets at the gateway, as on an access line.
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

  /// Whether superpackets travel whole between the namespaces; if not, counters see the packets as
  /// a wire would.
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
