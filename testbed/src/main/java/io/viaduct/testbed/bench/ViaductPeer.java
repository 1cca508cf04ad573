package io.viaduct.testbed.bench;

import io.viaduct.testbed.deployment.Deployment;
import io.viaduct.testbed.deployment.ServicePlan;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.util.List;

/// Ours: agent and SNAPT as in production, with the control plane that they need to meet.
final class ViaductPeer implements Peer {
  private final Deployment deployment;

  ViaductPeer(Deployment deployment) {
    this.deployment = deployment;
  }

  @Override
  public String name() {
    return "viaduct";
  }

  @Override
  public void start() throws IOException {
    var plans = deployment.plans();
    List<ServicePlan> needed = List.of(plans.billing(), plans.bridge(), plans.snapt(1));
    for (ServicePlan plan : needed) {
      deployment.start(plan);
    }
    for (ServicePlan plan : needed) {
      deployment.awaitReady(plan.name());
    }
    deployment.start(plans.agent());
    deployment.awaitReady("cnapt");
  }

  @Override
  public String target() {
    return Topology.SERVER;
  }

  @Override
  public List<Long> clientProcesses() {
    return List.of(deployment.process("cnapt").id());
  }

  @Override
  public List<Long> serverProcesses() {
    return List.of(deployment.process("snapt-1").id());
  }

  @Override
  public void close() {
    deployment.stopAll();
  }
}
