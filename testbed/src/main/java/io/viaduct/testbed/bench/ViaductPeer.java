package io.viaduct.testbed.bench;

import io.viaduct.testbed.deployment.Deployment;
import io.viaduct.testbed.deployment.ServicePlan;
import java.io.IOException;
import java.util.List;

/// Ours: agent and SNAPT as in production, with billing, bridge and pages running.
final class ViaductPeer implements Peer {
  static final String NAME = "viaduct";

  private final Deployment deployment;
  private final String agentLines;

  /// @param agentLines of configuration, added to what the agent of the demonstration has
  ViaductPeer(Deployment deployment, String agentLines) {
    this.deployment = deployment;
    this.agentLines = agentLines;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Role role() {
    return Role.OURS;
  }

  @Override
  public String note() {
    return "billing, bridge, pages, SNAPT and agent running; every packet sealed, metered, translated";
  }

  @Override
  public void start() throws IOException {
    var plans = deployment.plans();
    List<ServicePlan> needed =
        List.of(plans.billing(), plans.bridge(), plans.webgui(), plans.snapt(1));
    for (ServicePlan plan : needed) {
      deployment.start(plan);
    }
    for (ServicePlan plan : needed) {
      deployment.awaitReady(plan.name());
    }
    startNear();
    deployment.awaitReady("cnapt");
  }

  @Override
  public String target() {
    return Ground.BEHIND;
  }

  @Override
  public void stopNear() {
    int status = deployment.stop("cnapt");
    if (status != 0) {
      throw new IllegalStateException("the agent ended with " + status);
    }
  }

  @Override
  public void startNear() throws IOException {
    ServicePlan plan = deployment.plans().agent();
    deployment.start(
        new ServicePlan(
            plan.name(),
            plan.module(),
            plan.verb(),
            plan.namespace(),
            plan.ready(),
            plan.configuration() + agentLines));
  }

  @Override
  public List<Long> nearProcesses() {
    return List.of(deployment.process("cnapt").id());
  }

  @Override
  public List<Long> farProcesses() {
    return List.of(deployment.process("snapt-1").id());
  }

  @Override
  public void close() {
    deployment.stopAll();
  }
}
