package io.viaduct.testbed.deployment;

import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.Topology;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Makes the SNAPTs of the laboratory members of one group, which hand their sessions over when
/// they drain. Their pools are routed, because a translation by ports could not be handed over.
///
/// @param members how many, from snapt-1
public record GroupPlan(int members) {
  private static final int PORT = 7444;

  /// Returns the plan of a SNAPT as a member.
  ///
  /// @param number from 1
  public ServicePlan of(ServicePlan snapt, int number) {
    String others =
        IntStream.rangeClosed(1, members)
            .filter(other -> other != number)
            .mapToObj(GroupPlan::member)
            .collect(Collectors.joining());
    String pool = "pool: {ipv4: " + Topology.pool(number);
    return snapt
        .withConfiguration(
            snapt
                .configuration()
                .replace(pool, pool + ", ipv6: \"" + pool6(number) + "\"")
                .replace("egress: {", "egress: {masquerade: off, "))
        .with("group:\n  name: core\n  port: %d\n  members:\n%s".formatted(PORT, others));
  }

  /// Returns the plan of a SNAPT that is no member. Its devices may send UDP to those of the
  /// members, whose public addresses are private ones in the laboratory.
  public ServicePlan beside(ServicePlan other) {
    String pools =
        IntStream.rangeClosed(1, members)
            .mapToObj(number -> "\"%s udp\", ".formatted(Topology.pool(number)))
            .collect(Collectors.joining());
    return other.withConfiguration(
        other.configuration().replace("egress: {allow: [", "egress: {allow: [" + pools));
  }

  private static String member(int number) {
    return """
        - {id: snapt-%1$d, host: %2$s, port: %3$d, next-hop: %2$s, next-hop6: "%4$s", pool: {ipv4: %5$s, ipv6: "%6$s"}}
    """
        .formatted(
            number,
            Topology.snapt(number),
            PORT,
            Topology.snapt6(number),
            Topology.pool(number),
            pool6(number));
  }

  private static String pool6(int number) {
    return "fd56:6961:6475:%d::/64".formatted(number);
  }

  /// Leads packets for the pools from the hosts of the core to the SNAPTs.
  public void route(Topology network) {
    routeFrom(network.server);
    routeFrom(network.control);
  }

  /// Leads packets for the pools from a host of the core to the SNAPTs. It stands for routers,
  /// which follow no ICMP redirect: with one, it would send packets of a session to a SNAPT that it
  /// has left.
  public void routeFrom(NetworkNamespace host) {
    for (String scope : List.of("all", "core0")) {
      host.sysctl("net.ipv4.conf.%s.accept_redirects".formatted(scope), "0");
      host.sysctl("net.ipv6.conf.%s.accept_redirects".formatted(scope), "0");
    }
    for (int number = 1; number <= members; number++) {
      host.ip("route replace %s via %s".formatted(Topology.pool(number), Topology.snapt(number)));
    }
  }
}
