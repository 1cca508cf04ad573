package io.viaduct.testbed.deployment;

import io.viaduct.testbed.pki.OperatorAuthority;
import io.viaduct.testbed.pki.ReportKey;
import io.viaduct.testbed.process.HttpProbe;
import io.viaduct.testbed.process.ServiceProcess;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/// The running system: writes keys and configuration, starts the processes, knows them by name.
public final class Deployment {
  private static final Duration PATIENCE = Duration.ofSeconds(150);
  private static final int LOG_LINES_SHOWN = 25;

  private final Path root;
  private final Path directory;
  private final LongSupplier nanoTime;
  private final Plans plans;
  private final Map<String, ServicePlan> planned = new LinkedHashMap<>();
  private final Map<String, ServiceProcess> processes = new LinkedHashMap<>();

  private Deployment(Path root, Path directory, LongSupplier nanoTime, Plans plans) {
    this.root = root;
    this.directory = directory;
    this.nanoTime = nanoTime;
    this.plans = plans;
  }

  /// Writes what every process needs to be started, and starts none.
  ///
  /// @param root of the clone
  /// @param directory private to this run
  public static Deployment prepare(
      Path root, Path directory, Passwords passwords, Instant now, LongSupplier nanoTime)
      throws Exception {
    var authority = new OperatorAuthority(directory, now);
    authority.issue("snapt-1", Topology.SNAPT_1);
    authority.issue("snapt-2", Topology.SNAPT_2);
    authority.issue("ims-bridge", Topology.CONTROL);
    authority.issue("danum-billing", Topology.CONTROL);
    List<ReportKey> keys = new ArrayList<>();
    for (String name : List.of("snapt-1", "snapt-2")) {
      keys.add(ReportKey.generate(directory.resolve(name + ".report.key")));
      Files.createDirectories(directory.resolve(name));
    }
    for (String key : List.of("device.key", "token.key")) {
      var unused = ReportKey.generate(directory.resolve(key));
    }
    Files.writeString(directory.resolve("subscribers.yml"), Plans.subscribers(directory));
    OperatorAuthority.writeSecret(directory.resolve("alice.password"), passwords.alice());
    OperatorAuthority.writeSecret(directory.resolve("bob.password"), passwords.bob());
    OperatorAuthority.writeSecret(directory.resolve("operator.password"), passwords.operator());
    OperatorAuthority.writeSecret(directory.resolve("rest.token"), passwords.rest());
    keepPostgresUnpacked(root, directory.resolve("postgres"));
    var plans = new Plans(authority, directory, keys);
    return new Deployment(root, directory, nanoTime, plans);
  }

  /// Unpacking PostgreSQL takes seconds: its binaries, and nothing else of billing's data
  /// directory, stay in `build/postgres` from run to run.
  private static void keepPostgresUnpacked(Path root, Path data) throws IOException {
    Path binaries = Files.createDirectories(root.resolve("build/postgres"));
    Files.createDirectories(data);
    Files.createSymbolicLink(data.resolve("binaries"), binaries.toAbsolutePath());
  }

  /// The Java that runs this process, with the options that every process here shares: nothing is
  /// left in the machine's own temporary directory.
  static List<String> java(Path directory) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "--enable-native-access=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow",
        "-XX:+UseSerialGC",
        "-XX:-UsePerfData",
        "-Xmx384m",
        "-Djava.io.tmpdir=" + directory);
  }

  public List<String> java() {
    return java(directory);
  }

  /// Where keys, configuration, logs and state of this run are.
  public Path directory() {
    return directory;
  }

  public Plans plans() {
    return plans;
  }

  /// Starts a process, without waiting for it.
  public void start(ServicePlan plan) throws IOException {
    Files.writeString(directory.resolve(plan.name() + ".yml"), plan.configuration());
    planned.put(plan.name(), plan);
    processes.put(
        plan.name(),
        ServiceProcess.start(
            plan.name(), plan.namespace(), plan.command(root, directory), directory));
  }

  /// A running process.
  public ServiceProcess process(String name) {
    ServiceProcess process = processes.get(name);
    if (process == null) {
      throw new IllegalArgumentException(
          "no process '%s'; there are %s".formatted(name, processes.keySet()));
    }
    return process;
  }

  /// Waits until the process says that it is ready.
  ///
  /// @throws IllegalStateException with the end of its log when it ended, or does not get ready
  public void awaitReady(String name) {
    ServicePlan plan = planned.get(name);
    ServiceProcess process = process(name);
    long end = nanoTime.getAsLong() + PATIENCE.toNanos();
    while (plan != null) {
      if (plan.namespace().call(() -> HttpProbe.status(plan.ready())) == 200) {
        return;
      }
      if (!process.isAlive()) {
        throw failed(process, "ended with %d".formatted(process.awaitEnd()));
      }
      if (nanoTime.getAsLong() - end > 0) {
        throw failed(process, "is not ready after %d s".formatted(PATIENCE.toSeconds()));
      }
      LockSupport.parkNanos(100_000_000);
    }
  }

  private static IllegalStateException failed(ServiceProcess process, String how) {
    return new IllegalStateException(
        "%s %s; the end of its log:%n%s"
            .formatted(process.name(), how, process.lastLines(LOG_LINES_SHOWN)));
  }

  /// SIGTERM to every process, the last started first, and waits.
  public void stopAll() {
    List.copyOf(processes.values()).reversed().forEach(ServiceProcess::stop);
  }

  /// The names of processes that have ended without being asked to.
  public List<String> dead() {
    return processes.values().stream()
        .filter(process -> !process.isAlive())
        .map(ServiceProcess::name)
        .toList();
  }
}
