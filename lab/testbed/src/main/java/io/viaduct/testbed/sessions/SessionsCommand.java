package io.viaduct.testbed.sessions;

import io.viaduct.testbed.Laboratory;
import io.viaduct.testbed.bench.BenchOptions;
import io.viaduct.testbed.bench.CpuTime;
import io.viaduct.testbed.bench.Machine;
import io.viaduct.testbed.bench.ResidentMemory;
import io.viaduct.testbed.sessions.SessionsReport.Round;
import io.viaduct.testbed.sessions.SessionsReport.Step;
import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `viaduct bench sessions`: real sessions of one generator on a real SNAPT, over loopback.
@Command(
    name = "sessions",
    mixinStandardHelpOptions = true,
    description = "memory, control bytes and throughput of 100, 1000, 10000 sessions on one SNAPT")
public final class SessionsCommand implements Callable<Integer> {
  // These sessions stay open and idle beside the measured ones. They make the SNAPT load and
  // compile the code of a session and allocate the first chunks of its shared memory.
  private static final int FIRST = 500;
  private static final long SETTLE_MS = 3_000;
  private static final int SESSIONS_MAX = 10_000;

  @Option(names = "--sessions", split = ",", description = "(default ${DEFAULT-VALUE})")
  private List<Integer> sessions = List.of(100, 1_000, 10_000);

  @Option(names = "--rounds", description = "of throughput (default ${DEFAULT-VALUE})")
  private int rounds = 5;

  @Option(names = "--seconds", description = "of each round (default ${DEFAULT-VALUE})")
  private double seconds = 5;

  @Option(names = "--idle", description = "seconds of silence (default ${DEFAULT-VALUE})")
  private int idle = 60;

  @Option(names = "--histogram", description = "classes to show of what a session holds")
  private int histogram = 0;

  @Mixin private BenchOptions options = new BenchOptions();

  @Override
  public Integer call() throws Exception {
    if (sessions.stream().anyMatch(count -> count < 2 || count > SESSIONS_MAX)) {
      System.err.printf("viaduct: --sessions must be 2 to %d, got %s%n", SESSIONS_MAX, sessions);
      return 64;
    }
    Path directory = Laboratory.mountPrivate(options.outer());
    Topology.keepNamespacesPrivate();
    var namespace = NetworkNamespace.create("sessions");
    namespace.ip("route add blackhole " + Packets.NOWHERE);
    var steps = new ArrayList<Step>();
    for (int count : sessions) {
      Path own = Files.createDirectory(directory.resolve("sessions-" + count));
      try {
        steps.add(namespace.call(() -> step(namespace, own, count)));
      } finally {
        Laboratory.keepLogs(own, options.root().resolve("build/lab"));
      }
    }
    new SessionsReport(steps).under(conditions()).publish(System.out, options.output());
    return 0;
  }

  private Step step(NetworkNamespace namespace, Path directory, int count) throws Exception {
    System.err.println(count + " sessions");
    var issuer = new TokenIssuer(InstantSource.system());
    try (var snapt =
            SnaptProcess.start(
                options.root(), directory, namespace, FIRST + count, issuer, System::nanoTime);
        var generator = new Generator(directory.resolve("ca.pem"), issuer, System::nanoTime)) {
      generator.open(FIRST);
      Thread.sleep(SETTLE_MS);
      var before = snapt.memory();
      double residentBefore = ResidentMemory.mib(List.of(snapt.id()));
      long beginNs = System.nanoTime();
      generator.open(FIRST + count);
      double openSeconds = (System.nanoTime() - beginNs) / 1e9;
      Thread.sleep(SETTLE_MS);
      var after = snapt.memory();
      double resident = (ResidentMemory.mib(List.of(snapt.id())) - residentBefore) * (1 << 20);
      if (histogram > 0) {
        System.err.println(snapt.histogram(histogram));
      }
      double controlBytes = controlBytes(FIRST + count);
      var one = new ArrayList<Round>();
      var all = new ArrayList<Round>();
      generator.flood(1, seconds); // lets the JVM compile
      generator.flood(count, seconds);
      for (int i = 0; i < rounds; i++) {
        one.add(round(snapt, generator, 1));
        all.add(round(snapt, generator, count));
      }
      return new Step(
          count,
          openSeconds,
          (double) (after.heap() - before.heap()) / count,
          (double) (after.allocated() - before.allocated()) / count,
          resident / count,
          controlBytes,
          one,
          all);
    }
  }

  private double controlBytes(int count) throws IOException, InterruptedException {
    var before = PortBytes.received("lo");
    long beginNs = System.nanoTime();
    Thread.sleep(idle * 1_000L);
    double passed = (System.nanoTime() - beginNs) / 1e9;
    return PortBytes.received("lo").since(before).bytes() / passed / count;
  }

  private Round round(SnaptProcess snapt, Generator generator, int count) throws IOException {
    double cpu = CpuTime.ofProcesses(List.of(snapt.id()));
    Flood.Sent sent = generator.flood(count, seconds);
    return new Round(sent, CpuTime.ofProcesses(List.of(snapt.id())) - cpu);
  }

  private Map<String, String> conditions() throws IOException {
    var conditions =
        Machine.conditions(
            String.format(
                Locale.ROOT,
                "viaduct bench sessions --sessions %s --rounds %d --seconds %s --idle %d",
                String.join(",", sessions.stream().map(String::valueOf).toList()),
                rounds,
                seconds,
                idle),
            Instant.now());
    conditions.put(
        "traffic",
        "devices to Internet, UDP of 1360 bytes that cannot be compressed, 32 packets per device in"
            + " turn; control bytes: all of loopback, TCP/IP headers and acknowledgements included");
    conditions.put(
        "tokens", "signed by the generator, whose key the SNAPT finds on disk; no bridge answers");
    return conditions;
  }
}
