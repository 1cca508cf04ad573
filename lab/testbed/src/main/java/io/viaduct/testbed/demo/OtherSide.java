package io.viaduct.testbed.demo;

import io.viaduct.testbed.call.AudioCall;
import io.viaduct.testbed.deployment.Deployment;
import io.viaduct.testbed.deployment.GroupPlan;
import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.deployment.ServicePlan;
import io.viaduct.testbed.process.StatusSocket;
import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// Bob's side of a call: his agent on a device of his own, and its SNAPT. That SNAPT is no member
/// of the group and masquerades, because two devices of one group with routed pools do not reach
/// each other (ADR 0076).
final class OtherSide {
  static final int SNAPT = 3;
  private static final String NAME = "snapt-" + SNAPT;
  private static final String OWNER = "acme";
  private static final long CREDIT = 10_000_000;

  private final Topology topology;
  private final Deployment deployment;
  private final GroupPlan group;
  private final BillingClient operator;
  private final Retry retry;
  private @Nullable String key; // the SNAPT's, made once

  OtherSide(
      Topology topology,
      Deployment deployment,
      GroupPlan group,
      BillingClient operator,
      Retry retry) {
    this.topology = topology;
    this.deployment = deployment;
    this.group = group;
    this.operator = operator;
    this.retry = retry;
  }

  /// Returns Bob's device.
  NetworkNamespace device() {
    return topology.devices().get(1);
  }

  /// Starts both, and waits until the tunnel carries.
  void start() throws IOException {
    operator.topUp("bob", CREDIT, "demo-bob");
    if (key == null) {
      key = deployment.addSnapt(SNAPT);
    }
    operator.enrol(NAME, key, OWNER);
    NetworkNamespace host = new NetworkNamespace(NAME);
    host.nft(AudioCall.FIREWALL);
    group.routeFrom(host);
    Plans plans = deployment.plans();
    start(group.beside(plans.snapt(SNAPT)));
    start(plans.otherAgent(device(), SNAPT));
  }

  private void start(ServicePlan plan) throws IOException {
    deployment.start(plan);
    deployment.awaitReady(plan.name());
  }

  /// Ends both, once all that they have carried is reported.
  void end() throws IOException {
    deployment.end(deployment.plans().otherAgent(device(), SNAPT).name());
    retry.until(() -> {
      JsonNode status = StatusSocket.read(deployment.plans().socket(NAME));
      int sessions = status.path("sessions").size();
      long reports = status.path("reportsPending").asLong();
      if (sessions > 0 || reports > 0) {
        throw new IOException(
            "%s still has %d sessions and %d reports".formatted(NAME, sessions, reports));
      }
      return status;
    });
    deployment.end(NAME);
    operator.remove(NAME);
  }
}
