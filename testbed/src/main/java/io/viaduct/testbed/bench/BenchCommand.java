package io.viaduct.testbed.bench;

import io.viaduct.testbed.Laboratory;
import io.viaduct.testbed.deployment.Deployment;
import io.viaduct.testbed.deployment.Passwords;
import io.viaduct.testbed.topology.Command;
import io.viaduct.testbed.topology.Topology;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `viaduct bench tunnel`: the composition root of the measurement.
@picocli.CommandLine.Command(name = "bench", mixinStandardHelpOptions = true)
public final class BenchCommand implements Callable<Integer> {
  @Parameters(index = "0", description = "what to measure: tunnel")
  private String what = "tunnel";

  @Option(names = "--rounds", description = "interleaved rounds (default ${DEFAULT-VALUE})")
  private int rounds = 3;

  @Option(names = "--seconds", description = "of each flow (default ${DEFAULT-VALUE})")
  private int seconds = 5;

  @Option(names = "--root", hidden = true, required = true)
  private Path root = Path.of("");

  @Option(names = "--directory", hidden = true, required = true)
  private Path outer = Path.of("");

  @Override
  public Integer call() throws Exception {
    Path directory = Laboratory.mountPrivate(outer);
    Topology topology = Topology.lay();
    var deployment =
        Deployment.prepare(root, directory, Passwords.draw(new SecureRandom()), System::nanoTime);
    TcpFlow flow =
        Command.exists("iperf3")
            ? new Iperf3Flow(topology, directory)
            : new SocketFlow(topology, System::nanoTime);
    try (Peer direct = new DirectPeer(topology);
        Peer ours = new ViaductPeer(deployment)) {
      direct.start();
      ours.start();
      List<TunnelBench.Sample> samples =
          new TunnelBench(List.of(direct, ours), flow, seconds).run(rounds);
      var report = new BenchReport(conditions(flow, topology), samples);
      System.out.print(report.table());
      report.write(root.resolve("build/bench"));
      System.out.println(
          "every sample: build/bench/tunnel.json, this table: build/bench/tunnel.md");
      return 0;
    } catch (IllegalStateException e) {
      System.err.println("viaduct: " + e.getMessage());
      return 1;
    } finally {
      Laboratory.keepLogs(directory, root.resolve("build/lab"));
    }
  }

  private Map<String, String> conditions(TcpFlow flow, Topology topology) throws Exception {
    var conditions = new LinkedHashMap<String, String>();
    conditions.put(
        "command", "viaduct bench %s --rounds %d --seconds %d".formatted(what, rounds, seconds));
    conditions.put("time", Instant.now().toString());
    conditions.put("flow", flow.tool() + ", medians of " + rounds + " interleaved rounds");
    conditions.put("kernel", System.getProperty("os.version"));
    conditions.put(
        "processors",
        Runtime.getRuntime().availableProcessors()
            + " x "
            + Files.readString(Path.of("/proc/cpuinfo"))
                .lines()
                .filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 2))
                .findFirst()
                .orElse("unknown"));
    conditions.put("java", System.getProperty("java.runtime.version"));
    conditions.put("gateways", topology.masquerading ? "masquerade" : "route");
    return conditions;
  }
}
