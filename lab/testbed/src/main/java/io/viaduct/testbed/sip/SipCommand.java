package io.viaduct.testbed.sip;

import io.viaduct.testbed.deployment.Deployment;
import io.viaduct.testbed.deployment.Passwords;
import io.viaduct.testbed.process.ProcessUsage;
import io.viaduct.testbed.process.ServiceProcess;
import io.viaduct.testbed.report.BenchOptions;
import io.viaduct.testbed.report.Median;
import io.viaduct.testbed.report.Report;
import io.viaduct.testbed.topology.Laboratory;
import io.viaduct.testbed.topology.Topology;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `viaduct bench sip`: the highest rates of exchanges that the bridge carries without a
/// retransmission, its times at half of that after a cold start, and what it does at three times of
/// it, beside Kamailio on the same scenarios of sipp.
@Command(
    name = "sip",
    mixinStandardHelpOptions = true,
    description = "SIP exchanges per second, times and overload of the bridge, beside Kamailio")
public final class SipCommand implements Callable<Integer> {
  private static final String TITLE = "SIP under load";
  private static final String MIXED = "mixed";
  private static final String CONTACTS = "contacts";

  @Option(
      names = "--rounds",
      description = "of each scenario and server (default ${DEFAULT-VALUE})")
  private int rounds = 5;

  @Option(
      names = "--seconds",
      description = "of each rate that is tried (default ${DEFAULT-VALUE})")
  private int seconds = 4;

  @Option(names = "--overload", description = "seconds of overload (default ${DEFAULT-VALUE})")
  private int overload = 60;

  @Option(names = "--minutes", description = "of the mixed load (default ${DEFAULT-VALUE})")
  private int minutes = 30;

  @Option(
      names = "--mixed-rate",
      description =
          "exchanges per second of each scenario in the mixed load (default ${DEFAULT-VALUE})")
  private int mixedRate = 150;

  @Option(
      names = "--contacts",
      description = "that are registered and expire together (default ${DEFAULT-VALUE})")
  private int contacts = 100_000;

  @Option(
      names = "--only",
      split = ",",
      description = "scenarios: register, answered, relayed, call, mixed, contacts (default: all)")
  private List<String> only = List.of();

  @Mixin private BenchOptions options = new BenchOptions();

  @Override
  public Integer call() throws Exception {
    if (Stream.of(rounds, seconds, overload, minutes, mixedRate, contacts)
        .anyMatch(each -> each < 1)) {
      throw new IllegalArgumentException(
          "--rounds, --seconds, --overload, --minutes, --mixed-rate and --contacts must be at least 1");
    }
    List<SipScenario> scenarios = scenarios();
    if (!Sipp.isInstalled()) {
      throw new IllegalStateException("'sipp' is missing: install it (apt-get install sip-tester)");
    }
    Topology topology = Topology.lay();
    Path directory = Laboratory.mountPrivate(options.outer());
    Passwords passwords = Passwords.draw(new SecureRandom());
    Deployment deployment =
        Deployment.prepare(
            options.root(), directory, passwords, Duration.ofSeconds(60), System::nanoTime);
    Map<String, String> missing = new LinkedHashMap<>();
    BridgeServer bridge =
        new BridgeServer(deployment, passwords, isChosen(CONTACTS) ? contacts : 0);
    List<SipServer> servers = new ArrayList<>(List.of(bridge));
    if (KamailioServer.isInstalled()) {
      servers.add(new KamailioServer(topology.control, directory));
    } else {
      missing.put(KamailioServer.NAME, "not installed: apt-get install kamailio");
    }
    Sipp sipp = new Sipp(topology.control, directory);
    SipRows rows = new SipRows();
    Attempts attempts = new Attempts();
    try {
      for (SipScenario each : scenarios) {
        attempts.run(each.key(), () -> measure(sipp, servers, each, rows));
      }
      if (isChosen(MIXED)) {
        MixedLoad load = new MixedLoad(sipp, bridge, topology.control, mixedRate, 60 * minutes);
        attempts.run(MIXED, () -> rows.mixed(load.run()));
      }
      if (isChosen(CONTACTS)) {
        rows.contacts(new ContactsLoad(sipp, bridge, topology.control, contacts).run());
      }
    } finally {
      deployment.stopAll();
      Laboratory.keepLogs(directory, options.root().resolve("build/lab"));
    }
    Map<String, String> conditions = options.conditions();
    conditions.put("load", "sipp in one process on the same machine, UDP, an open loop");
    attempts.failed().forEach((scenario, why) -> missing.put(scenario, "failed: " + why));
    Report.of("sip", TITLE, conditions, SipRows.GRID, rows.rows())
        .without(missing)
        .publish(System.out, options.output());
    return attempts.failed().isEmpty() ? 0 : 1;
  }

  private List<SipScenario> scenarios() {
    List<String> all =
        Stream.concat(
                Arrays.stream(SipScenario.values()).map(SipScenario::key),
                Stream.of(MIXED, CONTACTS))
            .toList();
    for (String name : only) {
      if (!all.contains(name)) {
        throw new IllegalArgumentException(
            "--only names '%s'; there are %s".formatted(name, String.join(", ", all)));
      }
    }
    return Arrays.stream(SipScenario.values()).filter(each -> isChosen(each.key())).toList();
  }

  private boolean isChosen(String name) {
    return only.isEmpty() || only.contains(name);
  }

  private void measure(Sipp sipp, List<SipServer> servers, SipScenario scenario, SipRows rows)
      throws Exception {
    List<Found> all = servers.stream().map(Found::new).toList();
    for (int round = 1; round <= rounds; round++) {
      for (Found each : all) {
        each.highest.add(serving(sipp, each.server, scenario, at -> search(sipp, at, scenario)));
      }
    }
    rows.highest(scenario, all);
    int half = Math.max(1, all.getFirst().rate() / 2); // of ours
    for (int round = 1; round <= rounds; round++) {
      for (Found each : all) {
        each.half.add(
            serving(sipp, each.server, scenario, at -> sipp.load(at, scenario, half, 2 * seconds)));
      }
    }
    rows.half(scenario, all);
    for (Found each : all) {
      Overload found =
          serving(sipp, each.server, scenario, at -> overload(sipp, at, scenario, each.rate()));
      rows.overload(scenario, each.server.name(), found);
    }
  }

  /// The results of one server, round by round.
  ///
  /// @param highest at the highest clean rate
  /// @param half at half of our highest rate, after a cold start
  record Found(SipServer server, List<SippResult> highest, List<SippResult> half) {
    Found(SipServer server) {
      this(server, new ArrayList<>(), new ArrayList<>());
    }

    /// Returns the median of the highest rates, in exchanges per second.
    int rate() {
      return (int) Median.of(highest.stream().mapToDouble(SippResult::rate));
    }
  }

  private SippResult search(Sipp sipp, SipServer at, SipScenario scenario) throws Exception {
    String name = at.name() + ", " + scenario.key();
    return HighestRate.of(name, rate -> sipp.load(at, scenario, rate, seconds));
  }

  /// The results of a server at three times its highest rate, and right afterwards.
  ///
  /// @param residentMib memory of the server during the overload, second by second
  record Overload(SippResult during, List<Double> residentMib, SippResult after) {}

  private Overload overload(Sipp sipp, SipServer at, SipScenario scenario, int highest)
      throws Exception {
    List<Double> memory = new ArrayList<>();
    SippResult during;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<SippResult> load =
          threads.submit(() -> sipp.load(at, scenario, 3 * highest, overload));
      while (load.state() == Future.State.RUNNING) {
        TimeUnit.SECONDS.sleep(1);
        memory.add(ProcessUsage.residentMib(at.processes()));
      }
      during = load.get();
    }
    return new Overload(during, memory, sipp.load(at, scenario, Math.max(1, highest / 2), seconds));
  }

  /// Measures at a server that has just started.
  interface Measurement<T> {
    T at(SipServer server) throws Exception;
  }

  private static <T> T serving(
      Sipp sipp, SipServer server, SipScenario scenario, Measurement<T> measurement)
      throws Exception {
    try (server) {
      server.start();
      ServiceProcess callee = scenario.hasCallee() ? sipp.startCallee(server) : null;
      try {
        return measurement.at(server);
      } finally {
        if (callee != null) {
          callee.kill();
        }
      }
    }
  }
}
