package io.viaduct.testbed.demo;

import io.viaduct.testbed.deployment.Deployment;
import io.viaduct.testbed.deployment.Passwords;
import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.deployment.ServicePlan;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;

/// The whole path, once, on real traffic.
final class Demo {
  /// Of metering and reports: short, so that nobody waits for a bill.
  static final Duration INTERVAL = Duration.ofSeconds(5);

  private static final long TOP_UP = 50_000_000L; // ten times of what the traffic below costs
  private static final Duration RESTART =
      Duration.ofSeconds(60); // of any service, on a busy machine
  private static final int ATTEMPTS = 3;

  /// A SNAPT's open intervals are on disk every 100 ms; as much again for a busy machine.
  private static final Duration CHECKPOINT = Duration.ofMillis(200);

  /// How long after a restart a device may still be on its way back to the SNAPT.
  private static final Duration RECOVERY = Duration.ofSeconds(15);

  private final Narration narration;
  private final Topology topology;
  private final Deployment deployment;
  private final Passwords passwords;
  private final List<Kill> kills;
  private final LongSupplier nanoTime;
  private final Patience patience;

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
    this.patience = new Patience(RESTART, nanoTime);
  }

  /// Every step in order; what does not hold is in the narration.
  void run() throws IOException {
    start();
    fund(billing());
    connect();

    narration.step("(a) a download and (b) a UDP stream, while link A goes down");
    var handover =
        new HandoverStep(
            topology, ns -> deployment.restartedAfter(ns, "snapt-1", "snapt-2", "cnapt"), nanoTime);
    robust(() -> handover.run(narration, () -> kill("handover")));

    narration.step("(c) key strokes, alone and beside a bulk download");
    robust(() -> new InteractiveStep(topology, nanoTime).run(narration));
    kill("interactive");

    narration.step("(d) two people write to each other by SIP, alice through the tunnel");
    robust(() -> new ConversationStep(topology, deployment, nanoTime).run(narration));
    kill("conversation");

    narration.step("(e) the bill");
    BillStep bill = bill();
    robust(() -> bill.run(narration, TOP_UP, HandoverStep.BYTES - unmetered()));
    deployment.awaitReady();
    String restarted = deployment.restarted();
    narration.hold(
        true, "every part runs%s", restarted.isEmpty() ? "" : "; restarted: " + restarted);
  }

  /// One step of the demonstration.
  private interface Step {
    void run() throws IOException;
  }

  /// A step that fails while a service is killed and started again under it has shown nothing, so
  /// it is done once more.
  private void robust(Step step) throws IOException {
    for (int attempt = 1; ; attempt++) {
      long start = nanoTime.getAsLong();
      int broken = narration.broken().size();
      try {
        step.run();
      } catch (IOException | IllegalStateException | CompletionException e) {
        narration.hold(false, "%s", e.getCause() == null ? e.getMessage() : e.getCause());
      }
      boolean holds = narration.broken().size() == broken;
      boolean disturbed = deployment.restartedAfter(start - RECOVERY.toNanos());
      if (holds || !disturbed || attempt == ATTEMPTS) {
        return;
      }
      narration.forgetAfter(broken);
      deployment.awaitReady();
      narration.line("a service was started again under this step: the step is done once more");
    }
  }

  /// What a SNAPT that is killed has carried and not yet written down, at most.
  private long unmetered() {
    return deployment.restarts("snapt-1", "snapt-2") * HandoverStep.bytesIn(CHECKPOINT);
  }

  private BillingClient billing() {
    return new BillingClient(
        "http://%s:%d".formatted(Topology.CONTROL, Plans.BILLING_REST_PORT), patience);
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

  private BillStep bill() throws IOException {
    Plans plans = deployment.plans();
    var pages = URI.create("http://%s:%d/".formatted(Topology.CONTROL, Plans.PAGE_PORT));
    return new BillStep(
        billing().logIn("alice", passwords.alice()),
        billing().logIn("operator", passwords.operator()),
        () -> new Page(pages).logIn("alice", passwords.alice()).balance(),
        List.of(plans.socket("snapt-1"), plans.socket("snapt-2")),
        patience,
        nanoTime);
  }

  /// SIGKILL, as from another shell; the supervision does the rest.
  private void kill(String step) {
    for (Kill kill : kills) {
      if (kill.step().equals(step)) {
        narration.line("killing %s (SIGKILL)", kill.process());
        deployment.process(kill.process()).kill();
        deployment.awaitReady(kill.process());
      }
    }
  }
}
