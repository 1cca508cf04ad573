package io.viaduct.controlbench;

import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The processes of one round: the devices in the namespace of the server, the SNAPTs in that of
/// the first SNAPT.
///
/// @param agents as many as their sockets need
record RunningFleets(List<FleetProcess> agents, FleetProcess snapts) implements AutoCloseable {
  private static final int SNAPTS_PER_SECOND = 50;

  static RunningFleets start(Scale scale, Topology topology, Path directory) throws IOException {
    String bridge = Topology.CONTROL + ":";
    int processes = Math.ceilDiv(scale.agents(), AgentFleet.DEVICES_MAX);
    FleetProcess snapts =
        FleetProcess.start(
            "snapt-fleet",
            topology.snapt1,
            SnaptFleet.class,
            List.of(
                String.valueOf(scale.snapts()),
                String.valueOf(SNAPTS_PER_SECOND),
                bridge + Plans.BRIDGE_GRPC_PORT,
                directory.toString(),
                String.valueOf(scale.sessions())),
            directory);
    List<FleetProcess> agents = new ArrayList<>();
    for (int i = 0; i < processes; i++) {
      int first = i * AgentFleet.DEVICES_MAX;
      agents.add(
          FleetProcess.start(
              "agent-fleet-" + i,
              topology.server,
              AgentFleet.class,
              List.of(
                  String.valueOf(first),
                  String.valueOf(Math.min(AgentFleet.DEVICES_MAX, scale.agents() - first)),
                  String.valueOf(Math.max(1, scale.rate() / processes)),
                  bridge + Plans.SIP_PORT,
                  Plans.DOMAIN),
              directory));
    }
    return new RunningFleets(List.copyOf(agents), snapts);
  }

  long servedAgents() throws IOException {
    long all = 0;
    for (FleetProcess each : agents) {
      all += each.served();
    }
    return all;
  }

  long servedSnapts() throws IOException {
    return snapts.served();
  }

  /// Notes the death of the bridge.
  void mark() throws IOException {
    snapts.mark();
    for (FleetProcess each : agents) {
      each.mark();
    }
  }

  List<Long> agentTimes() throws IOException {
    List<Long> all = new ArrayList<>();
    for (FleetProcess each : agents) {
      all.addAll(each.times().toList());
    }
    return all;
  }

  List<Long> snaptTimes() throws IOException {
    return snapts.times().toList();
  }

  /// Returns the sum of a count of all devices.
  long count(String name) throws IOException {
    long all = 0;
    for (FleetProcess each : agents) {
      all += each.count(name);
    }
    return all;
  }

  @Override
  public void close() {
    agents.forEach(FleetProcess::close);
    snapts.close();
  }
}
