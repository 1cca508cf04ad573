package io.viaduct.testbed.demo;

import io.viaduct.testbed.call.Baresip;
import io.viaduct.testbed.deployment.Deployment;
import io.viaduct.testbed.deployment.GroupPlan;
import io.viaduct.testbed.deployment.Passwords;
import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.deployment.ServicePlan;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;

/// Runs the whole system once, on real traffic.
final class Demo {
  /// Interval of metering and reports. It is short so that the bill comes soon.
  static final Duration INTERVAL = Duration.ofSeconds(5);

  private static final long TOP_UP = 50_000_000L; // ten times the cost of the traffic below
  private static final Duration RESTART =
      Duration.ofSeconds(60); // of any service on a busy machine
  private static final int ATTEMPTS = 3;
  private static final int SNAPTS = 2;

  /// Link B is farther than link A, as a cellular network is farther than a wireless one at home.
  private static final String FAR = "delay=5ms";

  /// A SNAPT writes open intervals to disk every 100 ms; twice that time allows for a busy machine.
  private static final Duration CHECKPOINT = Duration.ofMillis(200);

  /// Time after a restart in which a device may still be reconnecting to the SNAPT.
  private static final Duration RECOVERY = Duration.ofSeconds(15);

  private final GroupPlan group = new GroupPlan(SNAPTS);
  private final Narration narration;
  private final Topology topology;
  private final Deployment deployment;
  private final Passwords passwords;
  private final List<Kill> kills;
  private final boolean isBrief;
  private final LongSupplier nanoTime;
  private final Retry retry;

  /// @param isBrief true to leave out the steps (a), (c) and (h) and the call of step (e)
  Demo(
      Narration narration,
      Topology topology,
      Deployment deployment,
      Passwords passwords,
      List<Kill> kills,
      boolean isBrief,
      LongSupplier nanoTime) {
    this.narration = narration;
    this.topology = topology;
    this.deployment = deployment;
    this.passwords = passwords;
    this.kills = kills;
    this.isBrief = isBrief;
    this.nanoTime = nanoTime;
    this.retry = new Retry(RESTART, nanoTime);
  }

  /// Runs every step in order and reports failed claims to the narration.
  void run() throws IOException {
    start();
    fund(billing());
    connect();

    if (isBrief) {
      billing()
          .logIn("operator", passwords.operator())
          .topUp("alice", TOP_UP - CreditStep.LITTLE, "demo-2");
    } else {
      narration.step("(a) a download takes alice's little credit, and goes on after a top-up");
      credit().run(narration, TOP_UP - CreditStep.LITTLE);
    }

    narration.step("(b) a download and a UDP stream, while link A goes down");
    var handover =
        new HandoverStep(
            topology, ns -> deployment.restartedAfter(ns, "snapt-1", "snapt-2", "cnapt"), nanoTime);
    robust(() -> handover.run(narration, () -> kill("handover")));

    if (isBrief) {
      topology.restoreLink("A");
    } else {
      narration.step("(c) one stream: link A turns bad; then link B dies in silence");
      robust(() -> new BadLinksStep(links()).run(narration));
    }

    narration.step("(d) key strokes, alone and beside a bulk download");
    robust(() -> new InteractiveStep(topology, nanoTime).run(narration));
    kill("interactive");

    converse();
    kill("conversation");

    narration.step("(f) the device's SNAPT is drained in the middle of a download");
    var drain = new DrainStep(topology, deployment, retry, nanoTime);
    robust(() -> drain.run(narration));

    narration.step("(g) the bill");
    BillStep bill = bill();
    robust(() -> bill.run(narration, TOP_UP, HandoverStep.BYTES - unmetered(), drain.downloaded()));

    if (!isBrief) {
      narration.step("(h) vouchers, reasons and proof on the command line");
      robust(() ->
          new CommandLineStep(
                  deployment,
                  billing().logIn("alice", passwords.alice()),
                  LocalDate.ofInstant(InstantSource.system().instant(), ZoneOffset.UTC)
                      .plusYears(1))
              .run(narration));
    }
    deployment.awaitReady();
    String restarted = deployment.restarted();
    narration.hold(
        true, "every service runs%s", restarted.isEmpty() ? "" : "; restarted: " + restarted);
  }

  private void converse() throws IOException {
    if (!isBrief && Baresip.isInstalled() && topology.isMasquerading) {
      narration.step("(e) alice calls bob, both through tunnels, while a link goes down");
      var bob =
          new OtherSide(
              topology,
              deployment,
              group,
              billing().logIn("operator", passwords.operator()),
              retry);
      var call = new CallStep(links(), bob, passwords, deployment.directory());
      robust(() -> call.run(narration));
    } else {
      narration.step("(e) two people write to each other by SIP, alice through the tunnel");
      robust(() -> new ConversationStep(topology, deployment, nanoTime).run(narration));
    }
  }

  private DeviceLinks links() {
    return new DeviceLinks(topology, deployment.plans().socket("cnapt"), retry, nanoTime);
  }

  /// One step of the demonstration.
  private interface Step {
    void run() throws IOException;
  }

  /// Runs a step, and repeats it if it failed while a service was killed and restarted. Such a
  /// failure proves nothing.
  private void robust(Step step) throws IOException {
    for (int attempt = 1; ; attempt++) {
      long startNs = nanoTime.getAsLong();
      int brokenBefore = narration.broken().size();
      try {
        step.run();
      } catch (IOException | IllegalStateException | CompletionException e) {
        narration.hold(false, "%s", e.getCause() == null ? e.getMessage() : e.getCause());
      }
      boolean holds = narration.broken().size() == brokenBefore;
      boolean isDisturbed = deployment.restartedAfter(startNs - RECOVERY.toNanos());
      if (holds || !isDisturbed || attempt == ATTEMPTS) {
        return;
      }
      narration.forgetAfter(brokenBefore);
      deployment.awaitReady();
      narration.line("a service was restarted during this step: the step is repeated");
    }
  }

  /// Returns the most bytes that killed SNAPTs carried without having written them to disk.
  private long unmetered() {
    return deployment.restarts("snapt-1", "snapt-2") * HandoverStep.bytesIn(CHECKPOINT);
  }

  private BillingClient billing() {
    return new BillingClient(
        "http://%s:%d".formatted(Topology.CONTROL, Plans.BILLING_REST_PORT), retry);
  }

  private void start() throws IOException {
    topology.weather("B", FAR);
    DeviceLinks.mobile(topology);
    Plans plans = deployment.plans();
    narration.step("starting billing, bridge, pages and two SNAPTs, each as a process of its own");
    group.route(topology);
    List<ServicePlan> all =
        List.of(
            plans.billing(SNAPTS),
            plans.bridge(),
            plans.webgui(),
            group.of(plans.snapt(1), 1),
            group.of(plans.snapt(2), 2));
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
    narration.step("alice's account receives %s denarii", BillingClient.denarii(CreditStep.LITTLE));
    billing.logIn("operator", passwords.operator());
    billing.createAccount("alice", passwords.alice(), "Alice");
    billing.createAccount("bob", passwords.bob(), "Bob");
    billing.topUp("alice", CreditStep.LITTLE, "demo-1");
  }

  private void connect() throws IOException {
    narration.step("alice's device connects");
    deployment.start(deployment.plans().agent());
    deployment.awaitReady("cnapt");
    narration.line("registered by SIP, token received from the bridge, tunnel up");
  }

  private CreditStep credit() throws IOException {
    return new CreditStep(
        topology,
        billing().logIn("operator", passwords.operator()),
        billing().logIn("alice", passwords.alice()),
        deployment.plans().socket("cnapt"),
        retry,
        nanoTime);
  }

  private BillStep bill() throws IOException {
    Plans plans = deployment.plans();
    var pages = URI.create("http://%s:%d/".formatted(Topology.CONTROL, Plans.PAGE_PORT));
    return new BillStep(
        billing().logIn("alice", passwords.alice()),
        billing().logIn("operator", passwords.operator()),
        () -> new Page(pages).logIn("alice", passwords.alice()).balance(),
        List.of(plans.socket("snapt-1"), plans.socket("snapt-2")),
        !isBrief,
        retry,
        nanoTime);
  }

  /// Kills processes with SIGKILL, as from another shell; the supervision restarts them.
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
