package io.viaduct.testbed.deployment;

import io.viaduct.testbed.pki.ReportKey;
import io.viaduct.testbed.pki.RunAuthority;
import io.viaduct.testbed.process.HttpProbe;
import io.viaduct.testbed.process.RestartLimit;
import io.viaduct.testbed.process.ServiceProcess;
import io.viaduct.testbed.process.SupervisedService;
import io.viaduct.testbed.topology.Command;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The running system. Writes keys and configuration, starts the processes, keeps them running, and
/// finds them by name.
public final class Deployment {
  /// SNAPTs that billing's configuration enrols.
  public static final int ENROLLED = 2;

  private static final Duration PATIENCE = Duration.ofSeconds(300);
  private static final int LOG_LINES_SHOWN = 25;
  private static final int RESTARTS = 5;
  private static final Duration RESTART_WINDOW = Duration.ofMinutes(1);

  private final Path root;
  private final Path directory;
  private final LongSupplier nanoTime;
  private final Plans plans;
  private final RunAuthority authority;
  private final Map<String, Started> services = new LinkedHashMap<>();
  private final SupervisedService.Listener listener;
  private @Nullable StartCaches caches;
  private @Nullable WallClocks clocks;
  private int restartsPerMinute = RESTARTS;

  private record Started(ServicePlan plan, SupervisedService service) {}

  private Deployment(
      Path root,
      Path directory,
      LongSupplier nanoTime,
      Plans plans,
      RunAuthority authority,
      SupervisedService.Listener listener) {
    this.root = root;
    this.directory = directory;
    this.nanoTime = nanoTime;
    this.plans = plans;
    this.authority = authority;
    this.listener = listener;
  }

  /// Calls [#prepare(Path, Path, Passwords, Duration, LongSupplier, SupervisedService.Listener)]
  /// with a listener that prints unexpected ends of services to standard error.
  public static Deployment prepare(
      Path root, Path directory, Passwords passwords, Duration interval, LongSupplier nanoTime)
      throws Exception {
    var listener = SupervisedService.Listener.to(System.err);
    return prepare(root, directory, passwords, interval, nanoTime, listener);
  }

  /// Writes the files that every process needs, and starts none.
  ///
  /// @param root of the clone
  /// @param directory private to this run
  /// @param interval of metering and reports, whole seconds
  /// @param listener receives the unexpected ends of services
  public static Deployment prepare(
      Path root,
      Path directory,
      Passwords passwords,
      Duration interval,
      LongSupplier nanoTime,
      SupervisedService.Listener listener)
      throws Exception {
    var authority = new RunAuthority(directory, InstantSource.system());
    var _ = authority.issue("danum-billing", Topology.CONTROL);
    var _ = authority.issue("ims-bridge", BridgesPlan.hosts());
    BridgesPlan.makeKey(directory);
    List<ReportKey> keys = new ArrayList<>();
    for (int number = 1; number <= ENROLLED; number++) {
      keys.add(newSnapt(authority, directory, number));
    }
    for (String key : List.of("device.key", "device-2.key", "token.key")) {
      var unused = ReportKey.generate(directory.resolve(key));
    }
    Files.writeString(directory.resolve("subscribers.yml"), Plans.subscribers(directory));
    RunAuthority.secret(directory.resolve("alice.password"), passwords.alice());
    RunAuthority.secret(directory.resolve("bob.password"), passwords.bob());
    RunAuthority.secret(directory.resolve("operator.password"), passwords.operator());
    RunAuthority.secret(directory.resolve("rest.token"), passwords.rest());
    keepPostgresUnpacked(root, directory.resolve("postgres"));
    var plans = new Plans(directory, keys, interval);
    return new Deployment(root, directory, nanoTime, plans, authority, listener);
  }

  private static ReportKey newSnapt(RunAuthority authority, Path directory, int number)
      throws IOException {
    return newSnapt(authority, directory, "snapt-" + number, Topology.snapt(number));
  }

  private static ReportKey newSnapt(
      RunAuthority authority, Path directory, String name, String address) throws IOException {
    var unused = authority.issue(name, address);
    Files.createDirectories(directory.resolve(name));
    return ReportKey.generate(Plans.reportKey(directory, name));
  }

  /// Makes certificate, key and directory of a further SNAPT, which billing does not know yet.
  ///
  /// @param number from 3; the network needs a host for it
  /// @return the key that billing enrols
  public String addSnapt(int number) throws IOException {
    return newSnapt(authority, directory, number).publicKey();
  }

  /// Makes certificate, key and directory of a SNAPT that is no host of the network.
  ///
  /// @return the key that billing enrols
  public String addSnapt(String name, String address) throws IOException {
    return newSnapt(authority, directory, name, address).publicKey();
  }

  /// Keeps the unpacked binaries of PostgreSQL in `build/postgres` from run to run, because
  /// unpacking takes seconds. All other data of billing belong to the run.
  private static void keepPostgresUnpacked(Path root, Path data) throws IOException {
    Path binaries = Files.createDirectories(root.resolve("build/postgres"));
    Files.createDirectories(data);
    Files.createSymbolicLink(data.resolve("binaries"), binaries.toAbsolutePath());
  }

  /// Returns the Java command of this process, for programs that are no service. Temporary files go
  /// to the run's directory and not to the machine's.
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

  /// Returns the beginning of a command line that runs a program of this clone, such as `denarii`.
  public List<String> program(String name) {
    return List.of(
        "env",
        "JAVA_HOME=" + System.getProperty("java.home"),
        root.resolve("bin").resolve(name).toString());
  }

  /// Runs a program of this clone to its end.
  ///
  /// @return what it printed
  public String run(String program, String... words) {
    List<String> command = new ArrayList<>(program(program));
    command.addAll(List.of(words));
    return Command.run(command.toArray(String[]::new));
  }

  /// Runs a command of a SNAPT, such as `drain`, as an operator on its machine does.
  ///
  /// @return what it printed
  public String order(String snapt, String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(List.of("--socket", plans.socket(snapt).toString()));
    return run("snapt", all.toArray(String[]::new));
  }

  /// Makes services that are started later write their start caches when they are stopped.
  public void train(StartCaches into) {
    caches = into;
  }

  /// Gives services that are started later wall clocks that can be set.
  public void clocks(WallClocks of) {
    clocks = of;
  }

  /// Sets how often a service that is started later may end within a minute, before it is given up.
  public void restartsPerMinute(int restarts) {
    restartsPerMinute = restarts;
  }

  /// Returns the directory of this run's keys, configuration, logs and state.
  public Path directory() {
    return directory;
  }

  public Plans plans() {
    return plans;
  }

  /// Starts a service without waiting for it, and keeps it running.
  public void start(ServicePlan plan) throws IOException {
    Files.writeString(directory.resolve(plan.name() + ".yml"), plan.configuration());
    StartCaches writing = caches;
    List<String> command = new ArrayList<>();
    WallClocks own = clocks;
    if (own != null) {
      command.addAll(own.prefix(plan.name()));
    }
    command.addAll(
        plan.command(
            root, directory, writing == null ? StartCaches.NEVER : writing.environment(plan)));
    SupervisedService service =
        SupervisedService.start(
            () -> ServiceProcess.start(plan.name(), plan.namespace(), command, directory),
            new RestartLimit(restartsPerMinute, RESTART_WINDOW),
            listener,
            nanoTime);
    services.put(plan.name(), new Started(plan, service));
  }

  /// Writes a running service's configuration file again and sends SIGHUP, as an operator would.
  public void reload(ServicePlan plan) throws IOException {
    Files.writeString(directory.resolve(plan.name() + ".yml"), plan.configuration());
    signal(plan.name(), "HUP");
  }

  /// Sends a signal to a running service.
  ///
  /// @param signal its name without SIG
  public void signal(String name, String signal) {
    Command.run("kill", "-" + signal, Long.toString(process(name).id()));
  }

  private Started started(String name) {
    Started started = services.get(name);
    if (started == null) {
      throw new IllegalArgumentException(
          "no process '%s'; there are %s".formatted(name, services.keySet()));
    }
    return started;
  }

  private SupervisedService service(String name) {
    return started(name).service;
  }

  /// Returns the running process of a service.
  public ServiceProcess process(String name) {
    return service(name).process();
  }

  /// Reads a counter of a running service from its metrics in Prometheus' text format, without
  /// labels.
  ///
  /// @throws IllegalArgumentException if there is no such metric
  public long metric(String service, String name) throws IOException {
    return (long) measure(service, name);
  }

  /// Reads a measure of a running service, such as a time in seconds, without labels.
  ///
  /// @throws IllegalArgumentException if there is no such metric
  public double measure(String service, String name) throws IOException {
    return metrics(service)
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("%s has no metric %s".formatted(service, name)));
  }

  /// Returns all metrics of a running service in Prometheus' text format.
  public String metrics(String service) throws IOException {
    ServicePlan plan = started(service).plan;
    return plan.namespace().call(() -> HttpProbe.body(plan.metrics()));
  }

  /// Returns the value of a running service's metric.
  ///
  /// @param line with its labels, as Prometheus' text format has them
  /// @throws IllegalArgumentException if there is no such metric
  public double value(String service, String line) throws IOException {
    return metrics(service)
        .lines()
        .filter(each -> each.startsWith(line + " "))
        .mapToDouble(each -> Double.parseDouble(each.substring(line.length() + 1)))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("%s has no metric %s".formatted(service, line)));
  }

  /// Returns whether a service says that it is ready.
  public boolean isReady(String service) {
    ServicePlan plan = started(service).plan;
    return plan.namespace().call(() -> HttpProbe.status(plan.ready())) == 200;
  }

  /// Waits until a service is ready, restarts included.
  ///
  /// @throws IllegalStateException with the end of its log, when it ends for good or does not get
  ///   ready
  public void awaitReady(String name) {
    Started started = started(name);
    ServicePlan plan = started.plan;
    SupervisedService service = started.service;
    ServiceProcess run = service.process();
    long endNs = nanoTime.getAsLong() + PATIENCE.toNanos();
    while (true) {
      if (service.process() != run) { // each run has its own time limit
        run = service.process();
        endNs = nanoTime.getAsLong() + PATIENCE.toNanos();
      }
      if (isReady(name)) {
        return;
      }
      String failure = service.failure();
      if (failure != null) {
        throw new IllegalStateException(failure);
      }
      if (nanoTime.getAsLong() - endNs > 0) {
        throw new IllegalStateException(
            "%s is not ready after %d s; the end of its log:%n%s"
                .formatted(name, PATIENCE.toSeconds(), run.lastLines(LOG_LINES_SHOWN)));
      }
      LockSupport.parkNanos(100_000_000);
    }
  }

  /// Calls [#awaitReady(String)] for every started service.
  public void awaitReady() {
    services.keySet().forEach(this::awaitReady);
  }

  /// Returns true if a service was restarted after a moment: one of those named, or any without a
  /// name.
  public boolean restartedAfter(long momentNs, String... names) {
    return services.entrySet().stream()
        .filter(each -> names.length == 0 || List.of(names).contains(each.getKey()))
        .anyMatch(each -> each.getValue().service.restartedAfter(momentNs));
  }

  /// Returns how many times the named services were restarted, together.
  public int restarts(String... names) {
    return Stream.of(names).map(this::service).mapToInt(SupervisedService::restarts).sum();
  }

  /// Returns the restarted services, for example `snapt-1 (1×), webgui (2×)`; empty without any.
  public String restarted() {
    return services.entrySet().stream()
        .filter(each -> each.getValue().service.restarts() > 0)
        .map(each -> "%s (%d×)".formatted(each.getKey(), each.getValue().service.restarts()))
        .collect(Collectors.joining(", "));
  }

  /// Ends one service with SIGKILL, and does not start it again.
  public void kill(String name) {
    service(name).kill();
  }

  /// Stops one service with SIGTERM and waits for its end.
  ///
  /// @return its exit code
  public int stop(String name) {
    return service(name).stop();
  }

  /// Stops a service that is not needed any more, and forgets it.
  public void end(String name) {
    var unused = stop(name);
    services.remove(name);
  }

  /// Stops all services with SIGTERM in reverse order of their start, and waits for their end.
  public void stopAll() {
    List.copyOf(services.values()).reversed().forEach(each -> each.service.stop());
  }
}
