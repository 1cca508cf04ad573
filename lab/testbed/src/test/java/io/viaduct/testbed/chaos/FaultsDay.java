package io.viaduct.testbed.chaos;

import io.viaduct.service.clock.PeerClock;
import io.viaduct.testbed.demo.BillingClient;
import io.viaduct.testbed.deployment.WallClocks;
import io.viaduct.testbed.process.FirstProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/// The first process of the laboratory of [FaultsLabIT]: the whole system under load, with a
/// database that is away, full disks, and clocks that are set by an hour. It waits for the alarm of
/// each fault and for the recovery, prints how long they took, and checks the bill at the end.
public final class FaultsDay {
  /// Variable of the environment with the seconds that the database is away.
  static final String AWAY = "DATABASE_AWAY_SECONDS";

  /// Variable of the environment: `all` sets each clock both ways.
  static final String CLOCKS = "CLOCKS";

  private static final String TOKENS = "20s"; // so that devices hear the bridge's time often
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration INTERVAL = Duration.ofSeconds(5);
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final Duration OFF = Duration.ofMinutes(2); // far less than an hour
  private static final long POLL_NS = 100_000_000;
  private static final String SECONDS_AHEAD = PeerClock.METRIC + "_seconds";
  private static final String SPOOL_FAILURES = "viaduct_spool_failures_total";
  private static final String REACHABLE = "viaduct_database_reachable";
  private static final String OLDEST = "viaduct_reports_pending_oldest_seconds";
  private static final String DEFERRED = "viaduct_reports_total{verdict=\"deferred\"}";
  private static final String BILLING = "danum-billing";
  private static final String BRIDGE = "ims-bridge";

  private final ChaosLab lab;
  private final ChaosLog log;
  private final Injector injector;
  private final Optional<WallClocks> clocks;
  private final Instant begin = Instant.now();

  private FaultsDay(ChaosLab lab, ChaosLog log, Optional<WallClocks> clocks) {
    this.lab = lab;
    this.log = log;
    this.clocks = clocks;
    injector = new Injector(lab);
  }

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(arguments, FaultsDay::pass);
  }

  private static void pass(Path clone, Path directory) throws Exception {
    var log = new ChaosLog(System.out, directory.resolve("faults.log"), System::nanoTime);
    var lab = new ChaosLab(clone, directory, Transport.GRPC, log);
    lab.tokenLifetime(TOKENS);
    Optional<WallClocks> clocks = WallClocks.find(directory);
    clocks.ifPresent(lab.deployment::clocks);
    lab.start();
    log.line("the load begins");
    FaultsDay day = new FaultsDay(lab, log, clocks);
    Map<String, String> given = System.getenv();
    day.carries("start");
    day.databaseAway(Duration.ofSeconds(Long.parseLong(given.getOrDefault(AWAY, "10"))));
    day.fullDisk(Fault.SNAPT_2_DISK_FULL, "snapt-2", SPOOL_FAILURES);
    day.fullDisk(Fault.DATABASE_DISK_FULL, BILLING, DEFERRED);
    if (clocks.isPresent()) {
      day.setClocks(given.getOrDefault(CLOCKS, "").equals("all"));
    }
    day.bill();
  }

  private void databaseAway(Duration time) throws Exception {
    long endNs = System.nanoTime() + time.toNanos();
    injector.inject(Fault.DATABASE_FROZEN);
    alarm("database away", () -> lab.deployment.value(BILLING, REACHABLE) == 0);
    alarm("database away, billing not ready", () -> !lab.deployment.isReady(BILLING));
    pass(endNs);
    log.line(
        "age of the oldest report on snapt-1: %.0f s", lab.deployment.value("snapt-1", OLDEST));
    injector.heal(Fault.DATABASE_FROZEN);
    await("database away, alarm ended after", () -> lab.deployment.value(BILLING, REACHABLE) == 1);
    recovers("database away");
  }

  /// @param failures name of the counter that shows the alarm
  private void fullDisk(Fault fault, String service, String failures) throws Exception {
    double before = lab.deployment.value(service, failures);
    injector.inject(fault);
    alarm(fault.toString(), () -> lab.deployment.value(service, failures) > before);
    injector.heal(fault);
    recovers(fault.toString());
  }

  private void setClocks(boolean isAll) throws Exception {
    clock("snapt-1", HOUR, "snapt-1");
    clock("cnapt-2", HOUR.negated(), "cnapt-2");
    clock(BILLING, HOUR.negated(), BILLING);
    clock(BRIDGE, HOUR, BILLING);
    if (isAll) {
      clock("snapt-1", HOUR.negated(), "snapt-1");
      clock("cnapt-2", HOUR, "cnapt-2");
      clock(BILLING, HOUR, BILLING);
      clock(BRIDGE, HOUR.negated(), BILLING);
    }
  }

  /// Sets a clock for longer than an interval, and then right again.
  ///
  /// @param at the service whose metric shows it
  private void clock(String service, Duration ahead, String at) throws Exception {
    String fault = "clock of %s %+d s".formatted(service, ahead.toSeconds());
    WallClocks set = clocks.orElseThrow();
    set.set(service, ahead);
    alarm(fault, () -> Math.abs(secondsAhead(at)) > OFF.toSeconds());
    pass(System.nanoTime() + INTERVAL.toNanos());
    set.set(service, Duration.ZERO);
    await(fault + ", alarm ended after", () -> Math.abs(secondsAhead(at)) < OFF.toSeconds());
    recovers(fault);
  }

  private double secondsAhead(String service) throws IOException {
    return lab.deployment.value(service, SECONDS_AHEAD);
  }

  private void alarm(String fault, Callable<Boolean> isSeen) throws Exception {
    await(fault + ", alarm after", isSeen);
  }

  private void recovers(String fault) throws Exception {
    await(
        fault + ", recovered after",
        () -> ChaosLab.SERVICES.stream().allMatch(lab.deployment::isReady));
    carries(fault);
  }

  /// Waits until both flows have received something since now.
  private void carries(String after) throws Exception {
    long sinceNs = System.nanoTime();
    await(
        after + ", carried after",
        () -> lab.loads().stream().allMatch(load -> load.flow().lastHeardNs() - sinceNs > 0));
  }

  private static void pass(long endNs) {
    while (endNs - System.nanoTime() > 0) {
      LockSupport.parkNanos(endNs - System.nanoTime());
    }
  }

  private void await(String what, Callable<Boolean> condition) throws Exception {
    long beginNs = System.nanoTime();
    while (!condition.call()) {
      if (System.nanoTime() - beginNs > PATIENCE.toNanos()) {
        throw new IllegalStateException("%s: not in %s".formatted(what, PATIENCE));
      }
      LockSupport.parkNanos(POLL_NS);
    }
    log.line("%s %.1f s", what, (System.nanoTime() - beginNs) / 1e9);
  }

  private void bill() throws Exception {
    lab.loads().forEach(load -> load.flow().pause(true));
    List<String> broken = new Bill(lab, log, System::nanoTime).check();
    BillingClient billing = lab.operator();
    long outside = 0;
    for (String account : List.of("alice", "bob")) {
      Instant from = begin.minus(OFF);
      outside += billing.chargedOutside(account, from, Instant.now().plus(OFF));
    }
    log.line("charges with a wrong time: %d", outside);
    log.line("restarts: %s", lab.deployment.restarted());
    log.line("bill: %s", broken.isEmpty() ? "ok" : String.join("; ", broken));
  }
}
