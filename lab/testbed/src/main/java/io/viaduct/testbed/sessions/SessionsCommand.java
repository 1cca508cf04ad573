package io.viaduct.testbed.sessions;

import io.viaduct.testbed.process.ProcessUsage;
import io.viaduct.testbed.report.BenchOptions;
import io.viaduct.testbed.report.Report;
import io.viaduct.testbed.sessions.SessionsStep.Round;
import io.viaduct.testbed.topology.Laboratory;
import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.PortBytes;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
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
  private static final String TRAFFIC =
      "devices to Internet, UDP of 1360 bytes that cannot be compressed, 32 packets per device in"
          + " turn; control bytes: all of loopback, TCP/IP headers and acknowledgements included";
  private static final String TOKENS =
      "signed by the generator, whose key the SNAPT finds on disk; no bridge answers";
  private static final String OTHERS = "left out, the generator of sessions speaks to a SNAPT only";
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
    var steps = new ArrayList<SessionsStep>();
    for (int count : sessions) {
      Path own = Files.createDirectory(directory.resolve("sessions-" + count));
      try {
        steps.add(namespace.call(() -> step(namespace, own, count)));
      } finally {
        Laboratory.keepLogs(own, options.root().resolve("build/lab"));
      }
    }
    Map<String, String> conditions = options.conditions();
    conditions.put("traffic", TRAFFIC);
    conditions.put("tokens", TOKENS);
    Report.of("sessions", "Many sessions on one SNAPT", conditions, SessionsStep.GRID, steps)
        .with(steps.stream().flatMap(SessionsStep::goalLines).toList())
        .without(Map.of("tunnels of others", OTHERS))
        .publish(System.out, options.output());
    return 0;
  }

  private SessionsStep step(NetworkNamespace namespace, Path directory, int count)
      throws Exception {
    System.err.println(count + " sessions");
    var issuer = new TokenIssuer(InstantSource.system());
    try (var snapt =
            SnaptProcess.start(
                options.root(),
                directory,
                namespace,
                FIRST + count,
                SnaptProcess.LOOPS,
                issuer,
                System::nanoTime);
        var generator =
            new Generator(
                directory.resolve("ca.pem"), issuer, SharedSockets::new, System::nanoTime)) {
      generator.open(FIRST);
      Thread.sleep(SETTLE_MS);
      var before = snapt.memory();
      double residentBefore = ProcessUsage.residentMib(List.of(snapt.id()));
      long beginNs = System.nanoTime();
      generator.open(FIRST + count);
      double openSeconds = (System.nanoTime() - beginNs) / 1e9;
      Thread.sleep(SETTLE_MS);
      var after = snapt.memory();
      double resident =
          (ProcessUsage.residentMib(List.of(snapt.id())) - residentBefore) * (1 << 20);
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
      return new SessionsStep(
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
    long before = PortBytes.received("lo");
    long beginNs = System.nanoTime();
    Thread.sleep(idle * 1_000L);
    double passed = (System.nanoTime() - beginNs) / 1e9;
    return (PortBytes.received("lo") - before) / passed / count;
  }

  private Round round(SnaptProcess snapt, Generator generator, int count) throws IOException {
    double cpu = ProcessUsage.cpuSeconds(List.of(snapt.id()));
    Flood.Sent sent = generator.flood(count, seconds);
    return new Round(sent, ProcessUsage.cpuSeconds(List.of(snapt.id())) - cpu);
  }
}
