package io.viaduct.testbed.calibration;

import io.viaduct.testbed.report.BenchOptions;
import io.viaduct.testbed.report.Report;
import io.viaduct.testbed.topology.LinkPlan;
import io.viaduct.testbed.topology.LinkPlan.Family;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.topology.WeatheredCable;
import io.viaduct.testbed.traffic.Way;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `viaduct bench lab`: how exact the weather of links is, and how fast a link with weather is.
@Command(
    name = "lab",
    mixinStandardHelpOptions = true,
    description = "accuracy of the weather of links: delay, rate, loss, and the fastest link")
public final class LabBenchCommand implements Callable<Integer> {
  private static final String TITLE = "Accuracy of the laboratory's weather";
  private static final Set<String> MEASURES = Set.of("delay", "rate", "loss", "tcp");

  @Option(names = "--rounds", description = "interleaved rounds (default ${DEFAULT-VALUE})")
  private int rounds = 3;

  @Option(names = "--seconds", description = "of each measurement (default ${DEFAULT-VALUE})")
  private double seconds = 4;

  @Option(
      names = "--measures",
      split = ",",
      description = "delay, rate, loss, tcp (default ${DEFAULT-VALUE})")
  private List<String> measures = List.of("delay", "rate", "loss", "tcp");

  @Option(
      names = "--delays",
      split = ",",
      description = "settings whose delay is measured, ms (default ${DEFAULT-VALUE})")
  private List<Integer> delays = List.of(0, 1, 5, 20, 100, 300);

  @Option(names = "--seed", description = "of the weather (default ${DEFAULT-VALUE})")
  private long seed = 1;

  @Mixin private BenchOptions options = new BenchOptions();

  @Override
  public Integer call() throws Exception {
    check();
    Set<Family> families = Set.of(Family.IPV4);
    var plan =
        new NetworkPlan(
            1,
            List.of(
                new LinkPlan("A", families, true, "A"), new LinkPlan("B", families, false, "B")),
            seed);
    Topology topology = Topology.lay(plan);
    var bench = new WeatherBench(topology, seconds, System::nanoTime);
    bench.warmUp();
    for (int round = 0; round < rounds; round++) {
      run(bench);
    }
    topology.weatheredCables().stream()
        .map(WeatheredCable::weathered)
        .forEach(each -> each.close());
    Map<String, String> conditions = options.conditions();
    conditions.put("values", "medians of the interleaved rounds");
    conditions.put(
        "delay error",
        "one way, up: quantile on link A less that on a veth pair at the same time, less the setting; 200 probes/s");
    conditions.put(
        "path", "device, link, gateway, core, server; both ends are threads of one process");
    Report.of("lab", TITLE, conditions, Accuracy.grid(), bench.rows())
        .publish(System.out, options.output());
    return 0;
  }

  private void check() {
    for (String measure : measures) {
      if (!MEASURES.contains(measure)) {
        throw new IllegalArgumentException(
            "--measures has '%s'; there is: delay, rate, loss, tcp".formatted(measure));
      }
    }
    if (rounds < 1 || !(seconds >= 1)) {
      throw new IllegalArgumentException(
          "--rounds is %d and --seconds is %s: both must be at least 1".formatted(rounds, seconds));
    }
  }

  private void run(WeatherBench bench) {
    if (measures.contains("delay")) {
      for (boolean isBusy : new boolean[] {false, true}) {
        for (int delayMs : delays) {
          bench.delay(delayMs, isBusy);
        }
      }
    }
    if (measures.contains("rate")) {
      List.of(1, 10, 100).forEach(bench::rate);
    }
    if (measures.contains("loss")) {
      List.of("loss=1%", "loss=10%", "loss=5% burst=8").forEach(bench::loss);
    }
    if (measures.contains("tcp")) {
      List.of(Way.values()).forEach(bench::throughput);
    }
  }
}
