package io.viaduct.testbed.bench;

import io.viaduct.testbed.demo.BillingClient;
import io.viaduct.testbed.demo.Patience;
import io.viaduct.testbed.deployment.Deployment;
import io.viaduct.testbed.deployment.Passwords;
import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.deployment.ServicePlan;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

/// Ours: agent and SNAPT as in production, with billing, bridge and pages running.
final class ViaductPeer implements Peer {
  static final String NAME = "viaduct";

  private static final long DENARII = 1_000_000; // terabytes
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Deployment deployment;
  private final Passwords passwords;
  private final String agentLines;
  private String tunnelLines;
  private final LongSupplier nanoTime;

  /// @param agentLines of configuration, added to what the agent of the demonstration has
  /// @param tunnelLines added to the agent's and the SNAPT's
  ViaductPeer(
      Deployment deployment,
      Passwords passwords,
      String agentLines,
      String tunnelLines,
      LongSupplier nanoTime) {
    this.deployment = deployment;
    this.passwords = passwords;
    this.agentLines = agentLines;
    this.tunnelLines = tunnelLines;
    this.nanoTime = nanoTime;
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
    return "billing, bridge, pages, SNAPT and agent running; sealed, metered, translated, paid for";
  }

  @Override
  public void start() throws IOException {
    var plans = deployment.plans();
    List<ServicePlan> needed =
        List.of(plans.billing(), plans.bridge(), plans.webgui(), with(plans.snapt(1), tunnelLines));
    for (ServicePlan plan : needed) {
      deployment.start(plan);
    }
    for (ServicePlan plan : needed) {
      deployment.awaitReady(plan.name());
    }
    fund();
    startNear();
    deployment.awaitReady("cnapt");
  }

  /// Both ends of the tunnel anew.
  ///
  /// @param otherTunnelLines of configuration, instead of those that both had
  void restart(String otherTunnelLines) throws IOException {
    tunnelLines = otherTunnelLines;
    stopNear();
    deployment.stop("snapt-1");
    deployment.start(with(deployment.plans().snapt(1), tunnelLines));
    deployment.awaitReady("snapt-1");
    startNear();
    deployment.awaitReady("cnapt");
  }

  /// A relay that is not paid for is not the real thing.
  private void fund() throws IOException {
    String address = "http://%s:%d".formatted(Topology.CONTROL, Plans.BILLING_REST_PORT);
    var billing = new BillingClient(address, new Patience(PATIENCE, nanoTime));
    billing.logIn("operator", passwords.operator());
    billing.createAccount("alice", passwords.alice(), "Alice");
    billing.topUp("alice", DENARII * 1_000_000, "bench");
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
    deployment.start(with(deployment.plans().agent(), agentLines + tunnelLines));
  }

  private static ServicePlan with(ServicePlan plan, String lines) {
    return new ServicePlan(
        plan.name(),
        plan.module(),
        plan.verb(),
        plan.namespace(),
        plan.ready(),
        plan.configuration() + lines);
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
