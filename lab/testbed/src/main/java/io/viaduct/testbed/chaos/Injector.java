package io.viaduct.testbed.chaos;

import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/// Injects faults into the laboratory, and takes them back.
final class Injector {
  private final ChaosLab lab;
  private final Map<Fault, NetworkCut> cuts;
  private NetworkCut.Port database; // known while it is cut: billing's PostgreSQL has any port

  Injector(ChaosLab lab) {
    this.lab = lab;
    Topology network = lab.network;
    var device =
        new NetworkCut.Side(
            List.of(network.gateway("A"), network.gateway("B")),
            List.of(Topology.CORE_NETWORK + 11, Topology.CORE_NETWORK + 12));
    var snapt1 = side(network.snapt1, Topology.SNAPT_1);
    var snapt2 = side(network.snapt2, Topology.SNAPT_2);
    var control = side(network.control, Topology.CONTROL);
    database = new NetworkCut.Port(network.control, 0);
    cuts =
        Map.of(
            Fault.DEVICE_SNAPT_1_CUT, new NetworkCut.Hosts(device, snapt1),
            Fault.DEVICE_SNAPT_2_CUT, new NetworkCut.Hosts(device, snapt2),
            Fault.DEVICE_BRIDGE_CUT, new NetworkCut.Hosts(device, control),
            Fault.SNAPT_1_BRIDGE_CUT, new NetworkCut.Hosts(snapt1, control),
            Fault.SNAPT_2_BRIDGE_CUT, new NetworkCut.Hosts(snapt2, control),
            Fault.BRIDGE_BILLING_CUT, new NetworkCut.Port(network.control, Plans.BILLING_GRPC_PORT),
            Fault.BRIDGE_BROKER_CUT, new NetworkCut.Port(network.control, Broker.BRIDGE_PORT),
            Fault.BILLING_BROKER_CUT, new NetworkCut.Port(network.control, Broker.BILLING_PORT));
  }

  private static NetworkCut.Side side(NetworkNamespace namespace, String address) {
    return new NetworkCut.Side(List.of(namespace), List.of(address));
  }

  /// Injects a fault.
  void inject(Fault fault) throws IOException {
    switch (fault) {
      case BILLING_KILLED -> kill("danum-billing");
      case DATABASE_KILLED -> lab.postgres.kill();
      case DATABASE_STOPPED -> lab.postgres.stopImmediately();
      case BRIDGE_KILLED -> kill("ims-bridge");
      case SNAPT_1_KILLED -> kill("snapt-1");
      case SNAPT_2_KILLED -> kill("snapt-2");
      case AGENT_1_KILLED -> kill("cnapt");
      case AGENT_2_KILLED -> kill("cnapt-2");
      case DATABASE_CUT -> {
        database = new NetworkCut.Port(lab.network.control, lab.postgres.port());
        database.cut();
      }
      case DATABASE_FROZEN -> lab.postgres.freeze();
      case SNAPT_1_DISK_FULL -> lab.snaptDisks.getFirst().fill();
      case SNAPT_2_DISK_FULL -> lab.snaptDisks.getLast().fill();
      case DATABASE_DISK_FULL -> lab.databaseDisk.fill();
      case BROKER_KILLED -> lab.broker().kill();
      case BROKER_FROZEN -> lab.broker().freeze();
      default -> cut(fault).cut();
    }
  }

  /// Takes a lasting fault back.
  void heal(Fault fault) throws IOException {
    switch (fault) {
      case DATABASE_CUT -> database.heal();
      case DATABASE_FROZEN -> lab.postgres.thaw();
      case SNAPT_1_DISK_FULL -> lab.snaptDisks.getFirst().free();
      case SNAPT_2_DISK_FULL -> lab.snaptDisks.getLast().free();
      case DATABASE_DISK_FULL -> lab.databaseDisk.free();
      case BROKER_FROZEN -> lab.broker().thaw();
      default -> cut(fault).heal();
    }
  }

  private NetworkCut cut(Fault fault) {
    NetworkCut cut = cuts.get(fault);
    if (cut == null) {
      throw new IllegalArgumentException(fault + " has no cut");
    }
    return cut;
  }

  /// Sends SIGKILL; the supervision starts the service again, as an operator's service manager.
  private void kill(String service) {
    lab.deployment.process(service).kill();
  }
}
