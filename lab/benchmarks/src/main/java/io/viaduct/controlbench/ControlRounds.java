package io.viaduct.controlbench;

import io.viaduct.testbed.deployment.Deployment;
import io.viaduct.testbed.deployment.Passwords;
import io.viaduct.testbed.deployment.Plans;
import io.viaduct.testbed.deployment.ServicePlan;
import io.viaduct.testbed.process.ProcessUsage;
import io.viaduct.testbed.report.MeasuredRows;
import io.viaduct.testbed.sessions.SnaptControl;
import io.viaduct.testbed.topology.Laboratory;
import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.PortBytes;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/// Measures the rows, round by round. Billing and its users serve all rounds; the bridge and the
/// fleet of each round are new.
final class ControlRounds {
  private static final String BRIDGE = "ims-bridge";
  private static final String BILLING = "danum-billing";
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /// Time in which what the dead bridge has sent is read.
  private static final Duration DRAIN = Duration.ofMillis(200);

  /// A registration that lasts so long is stable (RFC 5626 section 4.5): its loss is repaired at
  /// once, without a back-off.
  private static final Duration STABLE = Duration.ofMinutes(2);

  private final Scale scale;
  private final MeasuredRows rows;
  private final Topology topology;
  private final Deployment deployment;

  private ControlRounds(Scale scale, MeasuredRows rows, Topology topology, Deployment deployment) {
    this.scale = scale;
    this.rows = rows;
    this.topology = topology;
    this.deployment = deployment;
  }

  /// Measures the rounds that are missing.
  ///
  /// @param outer directory of this run
  static void run(Scale scale, MeasuredRows rows, Path root, Path outer) throws Exception {
    if (rows.count(ControlTable.LAST) >= scale.rounds()) {
      return;
    }
    Topology topology = Topology.lay();
    topology.server.ip("route add local %s dev lo".formatted(FleetPlan.DEVICES));
    topology.control.ip("route add %s via %s".formatted(FleetPlan.DEVICES, Topology.SERVER));
    Path directory = Laboratory.mountPrivate(outer);
    Deployment deployment =
        Deployment.prepare(
            root,
            directory,
            Passwords.draw(new SecureRandom()),
            Duration.ofSeconds(60),
            System::nanoTime);
    try {
      session(scale, rows, root, Files.createDirectory(directory.resolve("sessions")));
      ControlRounds all = new ControlRounds(scale, rows, topology, deployment);
      all.startBilling();
      while (rows.count(ControlTable.LAST) < scale.rounds()) {
        all.round();
      }
    } finally {
      deployment.stopAll();
      Laboratory.keepLogs(directory, root.resolve("build/lab"));
    }
  }

  /// Measures the control connections of the devices of one SNAPT.
  private static void session(Scale scale, MeasuredRows rows, Path root, Path directory)
      throws Exception {
    if (rows.count(ControlTable.SESSION) == 0) {
      rows.add(
          ControlTable.SESSION,
          SnaptControl.bytesPerSession(
              root,
              directory,
              NetworkNamespace.create("sessions"),
              Math.max(2, scale.sessions()),
              Math.min(60, scale.seconds())));
    }
  }

  private void startBilling() throws Exception {
    Path directory = deployment.directory();
    StringBuilder users = new StringBuilder("subscribers:\n");
    for (int i = 0; i < scale.agents(); i++) {
      users.append(FleetPlan.subscriber(i, Plans.DOMAIN));
    }
    Files.writeString(directory.resolve("subscribers.yml"), users);
    StringBuilder snapts = new StringBuilder("snapts:\n");
    for (int i = 0; i < scale.snapts(); i++) {
      String id = FleetPlan.snapt(i);
      snapts.append(
          "  - {id: %s, report-key: \"%s\", owner: acme, region: core}%n"
              .formatted(id, deployment.addSnapt(id, FleetPlan.snaptAddress(i))));
    }
    ServicePlan plan = deployment.plans().billing(0);
    String configuration =
        plan.configuration().replace("snapts: []\n", snapts)
            + "credit: {default-limit: 100}\n"; // so that no device needs a top-up
    deployment.start(plan.withConfiguration(configuration));
    deployment.awaitReady(BILLING);
  }

  private void round() throws Exception {
    deployment.start(deployment.plans().bridge().asInProduction());
    deployment.awaitReady(BRIDGE);
    try (RunningFleets fleets = RunningFleets.start(scale, topology, deployment.directory())) {
      register(fleets);
      steady(fleets);
      comeBack(fleets);
    } finally {
      deployment.stop(BRIDGE);
    }
  }

  private void register(RunningFleets fleets) throws Exception {
    fleets.snapts().begin();
    await("SNAPTs", scale.snapts(), fleets::servedSnapts);
    long beginNs = System.nanoTime();
    for (FleetProcess each : fleets.agents()) {
      each.begin();
    }
    await("devices", scale.agents(), fleets::servedAgents);
    rows.add(ControlTable.REGISTER, seconds(beginNs));
    rows.add(ControlTable.REGISTER_P99, percentile(fleets.agentTimes(), 0.99));
  }

  private void steady(RunningFleets fleets) throws Exception {
    List<Long> bridge = List.of(deployment.process(BRIDGE).id());
    long agentsBefore = bytes(topology.server);
    long snaptsBefore = bytes(topology.snapt1);
    double cpuBefore = ProcessUsage.cpuSeconds(bridge);
    long beginNs = System.nanoTime();
    Thread.sleep(Duration.ofSeconds(scale.seconds()));
    double passed = seconds(beginNs);
    rows.add(ControlTable.AGENT, (bytes(topology.server) - agentsBefore) / passed / scale.agents());
    rows.add(ControlTable.SNAPT, (bytes(topology.snapt1) - snaptsBefore) / passed / scale.snapts());
    rows.add(ControlTable.PROCESSOR, 100 * (ProcessUsage.cpuSeconds(bridge) - cpuBefore) / passed);
    rows.add(ControlTable.MEMORY, ProcessUsage.residentMib(bridge));
    rows.add(ControlTable.REGISTRATIONS, deployment.metric(BRIDGE, "viaduct_bridge_registrations"));
  }

  private static long bytes(NetworkNamespace namespace) {
    return namespace.call(() -> PortBytes.passed("core0"));
  }

  private void comeBack(RunningFleets fleets) throws Exception {
    if (scale.seconds() < STABLE.toSeconds()) {
      System.err.println(
          "control: below %d s of steady state, devices return after a back-off"
              .formatted(STABLE.toSeconds()));
    }
    long refused = fleets.count("refused");
    long again = fleets.count("again");
    long unanswered = fleets.count("unanswered");
    long killNs = System.nanoTime();
    deployment.process(BRIDGE).kill(); // the supervision starts it again at once
    Thread.sleep(DRAIN);
    fleets.mark();
    double late = seconds(killNs);
    await("SNAPTs after the kill", scale.snapts(), fleets::servedSnapts);
    await("devices after the kill", scale.agents(), fleets::servedAgents);
    List<Long> agents = fleets.agentTimes();
    List<Long> snapts = fleets.snaptTimes();
    rows.add("agents back p50", late + percentile(agents, 0.5) / 1e3);
    rows.add("agents back p99", late + percentile(agents, 0.99) / 1e3);
    rows.add("agents back", late + percentile(agents, 1) / 1e3);
    rows.add("snapts back p50", late + percentile(snapts, 0.5) / 1e3);
    rows.add("snapts back p99", late + percentile(snapts, 0.99) / 1e3);
    rows.add("snapts back", late + percentile(snapts, 1) / 1e3);
    rows.add("refused", fleets.count("refused") - refused);
    rows.add("sent again", fleets.count("again") - again);
    rows.add("unanswered", fleets.count("unanswered") - unanswered);
    rows.add(
        "bridge memory after", ProcessUsage.residentMib(List.of(deployment.process(BRIDGE).id())));
    rows.add(ControlTable.LAST, deployment.metric(BRIDGE, "viaduct_bridge_registrations"));
  }

  /// Asks how many members are served.
  private interface Served {
    long now() throws IOException;
  }

  private void await(String who, int count, Served served) throws Exception {
    Duration patience = PATIENCE.plusSeconds(scale.agents() / scale.rate());
    long beginNs = System.nanoTime();
    long toldNs = beginNs;
    for (long now = served.now(); now < count; now = served.now()) {
      if (System.nanoTime() - beginNs > patience.toNanos()) {
        throw new IllegalStateException(
            "only %d of %d %s within %d s".formatted(now, count, who, patience.toSeconds()));
      }
      if (System.nanoTime() - toldNs > 5_000_000_000L) {
        toldNs = System.nanoTime();
        System.err.printf(Locale.ROOT, "%.0f s: %d of %d %s%n", seconds(beginNs), now, count, who);
      }
      Thread.sleep(Duration.ofMillis(250));
    }
  }

  private static double seconds(long beginNs) {
    return (System.nanoTime() - beginNs) / 1e9;
  }

  /// Returns the time that a share of the members did not exceed, in milliseconds.
  static double percentile(List<Long> ms, double share) {
    List<Long> sorted = ms.stream().sorted().toList();
    return sorted.get((int) Math.min(sorted.size() - 1L, (long) (share * sorted.size())));
  }
}
