package io.viaduct.testbed.bench;

import io.viaduct.testbed.topology.LinkPlan;
import io.viaduct.testbed.topology.LinkPlan.Family;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.topology.WeatheredCable;
import io.viaduct.testbed.weather.Direction;
import io.viaduct.testbed.weather.Fate;
import io.viaduct.testbed.weather.Weather;
import io.viaduct.testbed.weather.WeatherText;
import java.util.List;
import java.util.Set;

/// The links of `bench handover`, and what happens to them. Link C is down except for the moves
/// between address families.
///
/// ```
///   device ── linkA, IPv4 ── gateway A ──┐
///      ├───── linkB, IPv4 ── gateway B ──┼── core ── far (snapt-1)
///      └───── linkC, IPv6 ── gateway C ──┘
/// ```
final class MovingLinks {
  /// Round trip of each link.
  static final long RTT_NS = 20_000_000;

  private static final String CLEAR = "delay=10ms";
  private static final String ADDRESS_A = "10.71.1.2";
  private static final String OTHER_ADDRESS_A = "10.71.1.102";
  private static final String GATEWAY_CORE = "203.0.113.11/24";
  private static final String OTHER_GATEWAY_CORE = "203.0.113.111/24";

  private final Topology topology;
  private final BenchNetwork network;

  MovingLinks(Topology topology, BenchNetwork network) {
    this.topology = topology;
    this.network = network;
    topology.weatheredCables().forEach(cable -> weather(cable.link().name(), "clear", CLEAR));
    // Otherwise the address that stays would go with the first one.
    topology.gateway("A").sysctl("net.ipv4.conf.all.promote_secondaries", "1");
  }

  static NetworkPlan plan(long seed) {
    return new NetworkPlan(
        1, List.of(link("A", Family.IPV4), link("B", Family.IPV4), link("C", Family.IPV6)), seed);
  }

  private static LinkPlan link(String name, Family family) {
    return new LinkPlan(name, Set.of(family), true, name);
  }

  BenchNetwork network() {
    return network;
  }

  void lose(String link) {
    network.lose(link);
  }

  void restore(String link) {
    network.restore(link);
  }

  /// Changes the weather of both directions of a link; settings as in `viaduct lab`.
  void weather(String link, String... settings) {
    var weathered = cable(link).weathered();
    for (Direction direction : Direction.values()) {
      Weather next = WeatherText.apply(weathered.weather(direction), List.of(settings));
      weathered.change(direction, next);
    }
  }

  void clear(String link) {
    weather(link, "clear", CLEAR);
  }

  /// Returns the frames of a direction with this fate so far.
  long count(String link, Direction direction, Fate fate) {
    return cable(link).weathered().counters(direction).get(fate);
  }

  private WeatheredCable cable(String link) {
    return topology.weatheredCables().stream()
        .filter(each -> each.link().name().equals(link))
        .findFirst()
        .orElseThrow();
  }

  /// Changes the device's address on link A, as a new DHCP lease does.
  void newAddress(Peer peer, boolean isOther) {
    String former = isOther ? ADDRESS_A : OTHER_ADDRESS_A;
    String now = isOther ? OTHER_ADDRESS_A : ADDRESS_A;
    network.renumber("A", now);
    peer.onNewAddress(former, now);
  }

  /// Gives gateway A another public address. The kernel forgets the mappings that its masquerading
  /// made for the former one.
  ///
  /// @throws IllegalStateException without masquerading
  void rebind(boolean isOther) {
    if (!network.isMasquerading()) {
      throw new IllegalStateException("the gateways only route: NAT needs nft (nftables)");
    }
    topology
        .gateway("A")
        .ip(
            "addr add %s dev core0\naddr del %s dev core0"
                .formatted(
                    isOther ? OTHER_GATEWAY_CORE : GATEWAY_CORE,
                    isOther ? GATEWAY_CORE : OTHER_GATEWAY_CORE));
  }
}
