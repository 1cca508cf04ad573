package io.viaduct.testbed.demo;

import io.viaduct.testbed.deployment.Deployment;
import io.viaduct.testbed.deployment.Passwords;
import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.deployment.ServicePlan;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongSupplier;

/// The whole path, once, on real traffic.
final class Demo {
  private static final long TOP_UP = 50_000_000L; // ten times of what the traffic below costs

  private final Narration narration;
  private final Topology topology;
  private final Deployment deployment;
  private final Passwords passwords;
  private final List<Kill> kills;
  private final LongSupplier nanoTime;

  Demo(
      Narration narration,
      Topology topology,
      Deployment deployment,
      Passwords passwords,
      List<Kill> kills,
      LongSupplier nanoTime) {
    this.narration = narration;
    this.topology = topology;
    this.deployment = deployment;
    this.passwords = passwords;
    this.kills = kills;
    this.nanoTime = nanoTime;
  }

  /// Every step in order; what does not hold is in the narration.
  void run() throws IOException {
    start();
    String billingAddress = BillingClient.address(Topology.CONTROL);
    fund(new BillingClient(billingAddress));
    connect();

    narration.step("(a) a download and (b) a UDP stream, while link A goes down");
    new HandoverStep(topology, nanoTime)
        .run(narration, () -> kill("handover"), kills.contains(new Kill("snapt-1", "handover")));

    narration.step("(c) key strokes, alone and beside a bulk download");
    new InteractiveStep(topology, nanoTime).run(narration);
    kill("interactive");

    narration.step("(d) two people write to each other by SIP, alice through the tunnel");
    new ConversationStep(topology, deployment, nanoTime).run(narration);
    kill("conversation");

    narration.step("(e) the bill");
    var user = new BillingClient(billingAddress).logIn("alice", passwords.alice());
    var operator = new BillingClient(billingAddress).logIn("operator", passwords.operator());
    Plans plans = deployment.plans();
    List<Path> snapts = List.of(plans.socket("snapt-1"), plans.socket("snapt-2"));
    var page = new Page(URI.create("http://%s:%d/".formatted(Topology.CONTROL, Plans.PAGE_PORT)));
    new BillStep(user, operator, page.logIn("alice", passwords.alice()), snapts, nanoTime)
        .run(narration, TOP_UP, HandoverStep.BYTES);
    List<String> dead = deployment.dead();
    narration.hold(
        dead.isEmpty(), dead.isEmpty() ? "every part still runs" : "these have died: " + dead);
  }

  private void start() throws IOException {
    Plans plans = deployment.plans();
    narration.step("starting billing, bridge, pages and two SNAPTs, each its own process");
    List<ServicePlan> all =
        List.of(plans.billing(), plans.bridge(), plans.webgui(), plans.snapt(1), plans.snapt(2));
    FarEnd.start(topology.server, nanoTime);
    for (ServicePlan plan : all) {
      deployment.start(plan);
    }
    for (ServicePlan plan : all) {
      deployment.awaitReady(plan.name());
      narration.line("%s is ready", plan.name());
    }
  }

  private void fund(BillingClient billing) throws IOException {
    narration.step("alice is topped up with %s denarii", BillingClient.denarii(TOP_UP));
    billing.logIn("operator", passwords.operator());
    billing.createAccount("alice", passwords.alice(), "Alice");
    billing.createAccount("bob", passwords.bob(), "Bob");
    billing.topUp("alice", TOP_UP, "demo-1");
  }

  private void connect() throws IOException {
    narration.step("alice's device connects");
    deployment.start(deployment.plans().agent());
    deployment.awaitReady("cnapt");
    narration.line("registered by SIP, token from the bridge, tunnel up");
  }

  private void kill(String step) {
    for (Kill kill : kills) {
      if (kill.step().equals(step)) {
        narration.line("killing %s (SIGKILL) and starting it again", kill.process());
        deployment.process(kill.process()).killAndRestart();
        deployment.awaitReady(kill.process());
      }
    }
  }
}
