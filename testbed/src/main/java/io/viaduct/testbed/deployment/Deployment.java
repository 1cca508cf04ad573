package io.viaduct.testbed.deployment;

import io.viaduct.service.tls.TestAuthority;
import io.viaduct.testbed.pki.ReportKey;
import io.viaduct.testbed.process.HttpProbe;
import io.viaduct.testbed.process.RestartLimit;
import io.viaduct.testbed.process.ServiceProcess;
import io.viaduct.testbed.process.SupervisedService;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The running system: writes keys and configuration, starts the processes and keeps them running,
/// knows them by name.
public final class Deployment {
  private static final Duration PATIENCE = Duration.ofSeconds(300);
  private static final int LOG_LINES_SHOWN = 25;
  private static final int RESTARTS = 5;
  private static final Duration RESTART_WINDOW = Duration.ofMinutes(1);

  private final Path root;
  private final Path directory;
  private final LongSupplier nanoTime;
  private final Plans plans;
  private final Map<String, Started> services = new LinkedHashMap<>();
  private final SupervisedService.Listener listener;
  private @Nullable StartCaches caches;

  private record Started(ServicePlan plan, SupervisedService service) {}

  private Deployment(
      Path root,
      Path directory,
      LongSupplier nanoTime,
      Plans plans,
      SupervisedService.Listener listener) {
    this.root = root;
    this.directory = directory;
    this.nanoTime = nanoTime;
    this.plans = plans;
    this.listener = listener;
  }

  /// [#prepare(Path, Path, Passwords, Duration, LongSupplier, SupervisedService.Listener)] that
  /// tells standard error of services that ended unasked.
  public static Deployment prepare(
      Path root, Path directory, Passwords passwords, Duration interval, LongSupplier nanoTime)
      throws Exception {
    var listener = SupervisedService.Listener.to(System.err);
    return prepare(root, directory, passwords, interval, nanoTime, listener);
  }

  /// Writes what every process needs to be started, and starts none.
  ///
  /// @param root of the clone
  /// @param directory private to this run
  /// @param interval of metering and reports, whole seconds
  /// @param listener is told of services that ended unasked
  public static Deployment prepare(
      Path root,
      Path directory,
      Passwords passwords,
      Duration interval,
      LongSupplier nanoTime,
      SupervisedService.Listener listener)
      throws Exception {
    issueCertificates(directory);
    List<ReportKey> keys = new ArrayList<>();
    for (String name : List.of("snapt-1", "snapt-2")) {
      keys.add(ReportKey.generate(directory.resolve(name + ".report.key")));
      Files.createDirectories(directory.resolve(name));
    }
    for (String key : List.of("device.key", "device-2.key", "token.key")) {
      var unused = ReportKey.generate(directory.resolve(key));
    }
    Files.writeString(directory.resolve("subscribers.yml"), Plans.subscribers(directory));
    TestAuthority.secret(directory.resolve("alice.password"), passwords.alice());
    TestAuthority.secret(directory.resolve("bob.password"), passwords.bob());
    TestAuthority.secret(directory.resolve("operator.password"), passwords.operator());
    TestAuthority.secret(directory.resolve("rest.token"), passwords.rest());
    keepPostgresUnpacked(root, directory.resolve("postgres"));
    var plans = new Plans(directory, keys, interval);
    return new Deployment(root, directory, nanoTime, plans, listener);
  }

  private static void issueCertificates(Path directory) throws Exception {
    var authority = new TestAuthority(directory);
    var hosts =
        Map.of(
            "snapt-1", Topology.SNAPT_1,
            "snapt-2", Topology.SNAPT_2,
            "ims-bridge", Topology.CONTROL,
            "danum-billing", Topology.CONTROL);
    for (var host : hosts.entrySet()) {
      var unused = authority.issue(host.getKey(), host.getValue());
    }
  }

  /// Unpacking PostgreSQL takes seconds: its binaries, and nothing else of billing's data
  /// directory, stay in `build/postgres` from run to run.
  private static void keepPostgresUnpacked(Path root, Path data) throws IOException {
    Path binaries = Files.createDirectories(root.resolve("build/postgres"));
    Files.createDirectories(data);
    Files.createSymbolicLink(data.resolve("binaries"), binaries.toAbsolutePath());
  }

  /// The Java that runs this process, for programs that are no service: nothing is left in the
  /// machine's own temporary directory.
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

  /// Services that are started from now on write their start caches when they are stopped.
  public void train(StartCaches into) {
    caches = into;
  }

  /// Where keys, configuration, logs and state of this run are.
  public Path directory() {
    return directory;
  }

  public Plans plans() {
    return plans;
  }

  /// Starts a service, without waiting for it, and keeps it running.
  public void start(ServicePlan plan) throws IOException {
    Files.writeString(directory.resolve(plan.name() + ".yml"), plan.configuration());
    StartCaches writing = caches;
    List<String> command =
        plan.command(
            root, directory, writing == null ? StartCaches.NEVER : writing.environment(plan));
    SupervisedService service =
        SupervisedService.start(
            () -> ServiceProcess.start(plan.name(), plan.namespace(), command, directory),
            new RestartLimit(RESTARTS, RESTART_WINDOW),
            listener,
            nanoTime);
    services.put(plan.name(), new Started(plan, service));
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

  /// The running process of a service.
  public ServiceProcess process(String name) {
    return service(name).process();
  }

  /// What a running service counts under this name, in Prometheus' text format, without labels.
  ///
  /// @throws IllegalArgumentException if it has no such metric
  public long metric(String service, String name) throws IOException {
    ServicePlan plan = started(service).plan;
    String all = plan.namespace().call(() -> HttpProbe.body(plan.metrics()));
    return all.lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToLong(line -> new BigDecimal(line.substring(name.length() + 1)).longValue())
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("%s has no metric %s".formatted(service, name)));
  }

  /// Waits until the service says that it is ready, restarts included.
  ///
  /// @throws IllegalStateException with the end of its log when it ends for good, or does not get
  ///   ready
  public void awaitReady(String name) {
    Started started = started(name);
    ServicePlan plan = started.plan;
    SupervisedService service = started.service;
    ServiceProcess run = service.process();
    long end = nanoTime.getAsLong() + PATIENCE.toNanos();
    while (true) {
      if (service.process() != run) { // each run has its time
        run = service.process();
        end = nanoTime.getAsLong() + PATIENCE.toNanos();
      }
      if (plan.namespace().call(() -> HttpProbe.status(plan.ready())) == 200) {
        return;
      }
      String failure = service.failure();
      if (failure != null) {
        throw new IllegalStateException(failure);
      }
      if (nanoTime.getAsLong() - end > 0) {
        throw new IllegalStateException(
            "%s is not ready after %d s; the end of its log:%n%s"
                .formatted(name, PATIENCE.toSeconds(), run.lastLines(LOG_LINES_SHOWN)));
      }
      LockSupport.parkNanos(100_000_000);
    }
  }

  /// [#awaitReady(String)] of every service that was started.
  public void awaitReady() {
    services.keySet().forEach(this::awaitReady);
  }

  /// Whether any service, or any of those named, was started again after a moment.
  public boolean restartedAfter(long ns, String... names) {
    return services.entrySet().stream()
        .filter(each -> names.length == 0 || List.of(names).contains(each.getKey()))
        .anyMatch(each -> each.getValue().service.restartedAfter(ns));
  }

  /// How often the services of these names were started again, together.
  public int restarts(String... names) {
    return Stream.of(names).map(this::service).mapToInt(SupervisedService::restarts).sum();
  }

  /// `snapt-1 (1×), webgui (2×)`: the services that were started again; empty if none was.
  public String restarted() {
    return services.entrySet().stream()
        .filter(each -> each.getValue().service.restarts() > 0)
        .map(each -> "%s (%d×)".formatted(each.getKey(), each.getValue().service.restarts()))
        .collect(Collectors.joining(", "));
  }

  /// SIGTERM to one service, and waits.
  ///
  /// @return its exit code
  public int stop(String name) {
    return service(name).stop();
  }

  /// SIGTERM to every service, the last started first, and waits.
  public void stopAll() {
    List.copyOf(services.values()).reversed().forEach(each -> each.service.stop());
  }
}
