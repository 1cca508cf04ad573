package io.viaduct.testbed.bench;

import io.viaduct.testbed.bench.ClassesReport.Line;
import io.viaduct.testbed.bench.PacketFlow.Result;
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `viaduct bench classes`: all classes at once over a line of which HT&HD alone wants twice.
@Command(
    name = "classes",
    mixinStandardHelpOptions = true,
    description = "delay and share of each class while HT_HD wants twice what the line carries")
final class ClassesCommand implements Callable<Integer> {
  private static final double STRAGGLERS_SECONDS = 3; // a queue of seconds shows as such
  private static final Map<TrafficClass, Double> SHARES = // of the line's rate
      Map.of(
          TrafficClass.HT_HD, 2.0,
          TrafficClass.HT_LD, 0.10,
          TrafficClass.LT_HD, 0.05,
          TrafficClass.LT_LD, 0.0064);

  @Option(names = "--seconds", description = "of each way (default ${DEFAULT-VALUE})")
  private double seconds = 20;

  @Option(names = "--mbit", description = "rate of the line (default ${DEFAULT-VALUE})")
  private int mbit = 10;

  @Option(names = "--kind", description = "payload (default ${DEFAULT-VALUE}: nothing to save)")
  private String kind = "random";

  @Option(names = "--seed", description = "of the payloads (default ${DEFAULT-VALUE})")
  private long seed = 1;

  @Mixin private BenchOptions options = new BenchOptions();

  @Override
  public Integer call() throws Exception {
    try (Stand stand = Stand.open(options);
        Peer viaduct = stand.viaduct(ClassPorts.agentLines(stand))) {
      PayloadKind payload =
          Chosen.of(List.of(PayloadKind.values()), PayloadKind::toString, List.of(kind), "kind")
              .getFirst();
      List<Peer> peers = List.of(new DirectPeer(), viaduct);
      new PeerStart(stand.ground(), System.err, System::nanoTime).all(peers, new LinkedHashMap<>());
      stand.ground().superpackets(false);
      stand.ground().shape(mbit + "mbit");
      var lines = new ArrayList<Line>();
      for (Peer peer : peers) {
        lines.addAll(run(stand.ground(), peer, payload));
      }
      var report = new ClassesReport(conditions(stand), lines);
      System.out.print(report.table());
      Files.createDirectories(options.output());
      report.write(options.output());
      System.out.printf(
          "every number: %1$s/classes.json, this text: %1$s/classes.md%n", options.output());
      return 0;
    } catch (IllegalArgumentException e) {
      System.err.println("viaduct: " + e.getMessage());
      return 64;
    } catch (IllegalStateException e) {
      System.err.println("viaduct: " + e.getMessage());
      return 1;
    }
  }

  private List<Line> run(Ground ground, Peer peer, PayloadKind payload) {
    System.err.println(peer.name());
    var running = new EnumMap<TrafficClass, CompletableFuture<Result>>(TrafficClass.class);
    for (TrafficClass of : TrafficClass.values()) {
      var flow =
          new PacketFlow(
              ground, of, 0, rate(of), payload.from(seed + of.ordinal()), System::nanoTime);
      running.put(of, flow.start(peer.target(), seconds, STRAGGLERS_SECONDS));
    }
    var lines = new ArrayList<Line>();
    running.forEach(
        (of, result) -> lines.add(new Line(peer.name(), of, rate(of), seconds, result.join())));
    return lines;
  }

  private double rate(TrafficClass of) {
    return SHARES.getOrDefault(of, 0.0) * mbit * 1e6;
  }

  private Map<String, String> conditions(Stand stand) throws java.io.IOException {
    var conditions = new LinkedHashMap<String, String>();
    conditions.put(
        "command",
        String.format(
            Locale.ROOT,
            "viaduct bench classes --seconds %s --mbit %d --kind %s --seed %d",
            seconds,
            mbit,
            kind,
            seed));
    conditions.put("line", mbit + " Mbit/s each way, tbf with burst 16 kB and latency 50 ms");
    conditions.putAll(Machine.conditions(stand.ground(), Instant.now()));
    return conditions;
  }
}
