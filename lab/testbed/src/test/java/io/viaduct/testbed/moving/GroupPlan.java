package io.viaduct.testbed.moving;

import io.viaduct.testbed.deployment.ServicePlan;
import io.viaduct.testbed.topology.Topology;

/// Makes the SNAPTs of the laboratory members of one group: their pools are routed.
final class GroupPlan {
  private static final int PORT = 7444;

  private GroupPlan() {}

  /// Returns the plan of a SNAPT as a member.
  ///
  /// @param number 1 or 2
  static ServicePlan of(ServicePlan snapt, int number) {
    String lines =
        """
        group:
          name: core
          port: %d
          members:
            - {id: snapt-%d, host: %s, port: %d, next-hop: %s, next-hop6: "%s", pool: {ipv4: 10.20%d.0.0/16, ipv6: "%s"}}
        """
            .formatted(
                PORT,
                3 - number,
                host(3 - number),
                PORT,
                host(3 - number),
                host6(3 - number),
                3 - number,
                pool6(3 - number));
    String pool = "pool: {ipv4: 10.20%d.0.0/16".formatted(number);
    return snapt
        .withConfiguration(
            snapt
                .configuration()
                .replace(pool, pool + ", ipv6: \"" + pool6(number) + "\"")
                .replace("egress: {", "egress: {masquerade: off, "))
        .with(lines);
  }

  private static String host(int number) {
    return number == 1 ? Topology.SNAPT_1 : Topology.SNAPT_2;
  }

  private static String host6(int number) {
    return number == 1 ? Topology.SNAPT_1_6 : Topology.SNAPT_2_6;
  }

  private static String pool6(int number) {
    return "fd56:6961:6475:%d::/64".formatted(number);
  }

  /// Leads packets for the pools from the hosts of the core to the SNAPTs.
  static void route(Topology network) {
    for (var host : java.util.List.of(network.server, network.control)) {
      for (int number = 1; number <= 2; number++) {
        host.ip("route replace 10.20%d.0.0/16 via %s".formatted(number, host(number)));
      }
    }
  }
}
