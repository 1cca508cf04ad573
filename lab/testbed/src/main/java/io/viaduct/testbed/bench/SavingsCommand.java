package io.viaduct.testbed.bench;

import io.viaduct.testbed.bench.Load.Outcome;
import io.viaduct.testbed.report.BenchOptions;
import io.viaduct.testbed.report.Report;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `viaduct bench savings`: measures the saved bytes of each load.
@Command(
    name = "savings",
    mixinStandardHelpOptions = true,
    description =
        "bytes on the wire by class and kind of payload, and the delay that it costs, beside every"
            + " tunnel that is installed")
final class SavingsCommand implements Callable<Integer> {
  private static final String TITLE = "Bytes of IP packets before and after the tunnel";
  private static final double SLOW_PACKETS = 30; // a flow of 15 kbit/s takes long

  @Option(names = "--seconds", description = "of each load (default ${DEFAULT-VALUE})")
  private double seconds = 6;

  @Option(names = "--seed", description = "of the payloads (default ${DEFAULT-VALUE})")
  private long seed = 1;

  @Option(names = "--classes", split = ",", description = "such as LT_LD (default: all)")
  private List<String> classes = List.of();

  @Option(names = "--kinds", split = ",", description = "such as text (default: all)")
  private List<String> kinds = List.of();

  @Option(names = "--flows", split = ",", description = "loads of so many (default: all)")
  private List<Integer> flows = List.of();

  @Option(names = "--context", description = "remote-host, device or off (default: the agent's)")
  private String context = "";

  @Mixin private PeerOptions peers = new PeerOptions();

  @Mixin private BenchOptions options = new BenchOptions();

  @Override
  public Integer call() throws Exception {
    List<Load> loads = chosen();
    try (BenchEnvironment environment = BenchEnvironment.open(options);
        RunningPeers running =
            RunningPeers.start(environment, environment.viaduct(agentLines(environment)), peers)) {
      environment.network().superpackets(false);
      var lines = new ArrayList<SavingsLine>();
      for (Load load : loads) {
        var outcomes = new LinkedHashMap<String, Outcome>();
        for (Peer peer : running.list()) {
          Outcome outcome = run(environment.network(), peer, load);
          outcomes.put(peer.name(), outcome);
          System.err.printf(
              Locale.ROOT,
              "%s %s %s, %s: %.1f %%%n",
              load.of(),
              load.kind(),
              load.title(),
              peer.name(),
              outcome.savedPercent());
        }
        lines.add(new SavingsLine(outcomes));
      }
      Map<String, String> conditions = running.describe(environment.conditions());
      conditions.put("how to read", SavingsLine.HOW_TO_READ);
      Report.of("savings", TITLE, conditions, SavingsLine.grid(running.others()), lines)
          .without(running.missing())
          .publish(System.out, options.output());
      return 0;
    }
  }

  private Outcome run(BenchNetwork network, Peer peer, Load load) {
    double slow = SLOW_PACKETS * load.of().packetBytes * 8 / slowest(load);
    return load.run(network, peer, seedOf(load), Math.max(seconds, slow), System::nanoTime);
  }

  /// Returns a seed of its own for each load, so that no load repeats bytes of another load's
  /// history.
  private long seedOf(Load load) {
    return seed + (long) TrafficClass.FLOWS_MAX * Loads.all().indexOf(load);
  }

  private static double slowest(Load load) {
    return load.rateBitPerSecond() == 0 ? load.of().rate(0, load.flows()) : load.rateBitPerSecond();
  }

  private List<Load> chosen() {
    var ofClasses = Selection.of(TrafficClass.class, classes, "class");
    var ofKinds = Selection.of(PayloadKind.class, kinds, "kind");
    return Loads.all().stream()
        .filter(load -> ofClasses.contains(load.of()) && ofKinds.contains(load.kind()))
        .filter(load -> flows.isEmpty() || flows.contains(load.flows()))
        .toList();
  }

  private String agentLines(BenchEnvironment environment) throws IOException {
    String text = environment.classLines();
    return context.isEmpty() ? text : text + "tunnel: {context: " + context + "}\n";
  }
}
