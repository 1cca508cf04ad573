package io.viaduct.testbed.sessions;

import io.viaduct.testbed.process.ProcessUsage;
import io.viaduct.testbed.report.BenchOptions;
import io.viaduct.testbed.report.Report;
import io.viaduct.testbed.topology.Laboratory;
import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `viaduct bench probes`: sealed probes that one core of a SNAPT answers, from one device and from
/// many, over loopback; and what the session alone would answer.
@Command(
    name = "probes",
    mixinStandardHelpOptions = true,
    description = "sealed probes per second that a SNAPT answers at half a core")
public final class ProbesCommand implements Callable<Integer> {
  private static final String CPU =
      "user and system time of the whole SNAPT, with the delivery of its answers on loopback";
  private static final int DEVICES_MAX = 10_000;

  // So many probes of one device fit into one burst of the kernel (UDP_SEGMENT).
  private static final int TOGETHER_MAX = 64;

  @Option(names = "--devices", description = "each with an own address (default ${DEFAULT-VALUE})")
  private int devices = 1_000;

  @Option(
      names = "--together",
      description = "probes that one device sends as one burst (default ${DEFAULT-VALUE})")
  private int together = TOGETHER_MAX;

  @Option(names = "--rounds", description = "of each kind (default ${DEFAULT-VALUE})")
  private int rounds = 5;

  @Option(names = "--seconds", description = "of each round (default ${DEFAULT-VALUE})")
  private double seconds = 5;

  @Mixin private BenchOptions options = new BenchOptions();

  @Override
  public Integer call() throws Exception {
    if (devices < 2 || devices > DEVICES_MAX) {
      System.err.printf("viaduct: --devices must be 2 to %d, got %d%n", DEVICES_MAX, devices);
      return 64;
    }
    if (together < 1 || together > TOGETHER_MAX || Integer.bitCount(together) != 1) {
      System.err.printf("viaduct: --together must be 1, 2, 4 … 64, got %d%n", together);
      return 64;
    }
    Path directory = Laboratory.mountPrivate(options.outer());
    Topology.keepNamespacesPrivate();
    var namespace = NetworkNamespace.create("probes");
    List<ProbesLine> lines = new ArrayList<>();
    try {
      lines.addAll(namespace.call(() -> lines(namespace, directory)));
    } finally {
      Laboratory.keepLogs(directory, options.root().resolve("build/lab"));
    }
    lines.add(SessionAlone.measure(together, rounds, seconds, System::nanoTime));
    Map<String, String> conditions = options.conditions();
    conditions.put("processor time", CPU);
    Report.of("probes", "Sealed probes that a SNAPT answers", conditions, ProbesLine.GRID, lines)
        .publish(System.out, options.output());
    return 0;
  }

  private List<ProbesLine> lines(NetworkNamespace namespace, Path directory) throws Exception {
    var issuer = new TokenIssuer(InstantSource.system());
    ManyAddresses[] by = new ManyAddresses[1];
    try (var snapt =
            SnaptProcess.start(
                options.root(), directory, namespace, devices, 1, issuer, System::nanoTime);
        var generator =
            new Generator(
                directory.resolve("ca.pem"),
                issuer,
                (_, reader) -> by[0] = new ManyAddresses(reader),
                System::nanoTime)) {
      generator.open(devices);
      ManyAddresses sockets = by[0];
      var one = new ProbesLine("one device, " + together + " together", true);
      var many = new ProbesLine(devices + " devices, one probe each in turn", true);
      generator.probes(sockets, 1, together, seconds); // lets the JVM compile
      generator.probes(sockets, devices, 1, seconds);
      for (int i = 0; i < rounds; i++) {
        one.add(round(snapt, generator, sockets, 1, together));
        many.add(round(snapt, generator, sockets, devices, 1));
      }
      return List.of(one, many);
    }
  }

  private ProbesLine.Round round(
      SnaptProcess snapt, Generator generator, ManyAddresses by, int sessions, int each)
      throws IOException {
    double cpu = ProcessUsage.cpuSeconds(List.of(snapt.id()));
    ProbeFlood.Answered answered = generator.probes(by, sessions, each, seconds);
    return new ProbesLine.Round(answered, ProcessUsage.cpuSeconds(List.of(snapt.id())) - cpu);
  }
}
