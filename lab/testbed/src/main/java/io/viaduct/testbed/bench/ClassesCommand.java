package io.viaduct.testbed.bench;

import io.viaduct.testbed.bench.PacketFlow.Period;
import io.viaduct.testbed.report.BenchOptions;
import io.viaduct.testbed.report.Report;
import io.viaduct.testbed.traffic.Way;
import io.viaduct.tunnel.terms.Scheduling.Order;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `viaduct bench classes`: all classes at once on lines that are too small for them.
@Command(
    name = "classes",
    mixinStandardHelpOptions = true,
    description = "delay and share of each class while one or two want more than the line carries")
final class ClassesCommand implements Callable<Integer> {
  private static final String TITLE = "Classes on a line that is too small for all of them";
  private static final double STRAGGLERS_SECONDS = 2; // enough time for a queue of seconds to drain
  private static final double NO_QUEUE_SECONDS = 0.7; // longer than the longest class deadline

  @Option(
      names = "--seconds",
      description = "with bulk, and half of it without, for every line (default ${DEFAULT-VALUE})")
  private double seconds = 10;

  @Option(
      names = "--mbit",
      split = ",",
      description =
          "rates of the line, 10-2 changes in the middle (default 2,10,100,10-2,2-10,10-100,100-10)")
  private List<String> mbit = List.of("2", "10", "100", "10-2", "2-10", "10-100", "100-10");

  @Option(names = "--way", split = ",", description = "UP, DOWN (default: both, one by one)")
  private List<String> ways = List.of();

  @Option(
      names = "--bulk",
      split = ",",
      description =
          "ONE: HT&HD wants twice the line; TWO: HT&HD and LT&HD all of it; FIVE: five flows of all"
              + " classes want all of it (default: each)")
  private List<String> bulks = List.of();

  @Option(
      names = "--order",
      split = ",",
      description = "priority, max-weight: which class sends first (default: both, side by side)")
  private List<String> orders = List.of("priority", "max-weight");

  @Option(names = "--pacing", description = "auto, off or bit/s (default: the products' own)")
  private String pacing = "";

  @Option(names = "--kind", description = "payload (default ${DEFAULT-VALUE}: nothing to save)")
  private String kind = "random";

  @Option(names = "--seed", description = "of the payloads (default ${DEFAULT-VALUE})")
  private long seed = 1;

  @Option(names = "--without-direct", description = "do not measure the direct path")
  private boolean isWithoutDirect;

  @Mixin private PeerOptions peers = new PeerOptions();

  @Mixin private BenchOptions options = new BenchOptions();

  @Override
  public Integer call() throws Exception {
    List<AccessLine> accessLines = mbit.stream().map(AccessLine::of).toList();
    List<Bulk> loads = Selection.of(Bulk.class, bulks, "bulk");
    List<Way> chosen = Selection.of(Way.class, ways, "way");
    PayloadKind payload = Selection.of(PayloadKind.class, List.of(kind), "kind").getFirst();
    try (BenchEnvironment environment = BenchEnvironment.open(options);
        RunningPeers running = RunningPeers.start(environment.network(), all(environment))) {
      environment.network().superpackets(false);
      var lines = new ArrayList<ClassLine>();
      for (AccessLine access : accessLines) {
        for (Bulk bulk : loads) {
          for (Way way : chosen) {
            for (Peer peer : running.list()) {
              lines.addAll(run(environment.network(), peer, access, bulk, way, payload));
            }
          }
        }
      }
      Map<String, String> conditions = running.describe(environment.conditions());
      conditions.put("line", BenchNetwork.SHAPED);
      Report.of("classes", TITLE, conditions, ClassLine.grid(lines), lines)
          .without(running.missing())
          .publish(System.out, options.output());
      return 0;
    }
  }

  /// Returns the direct path if it is wanted, our tunnel with each order, and the tunnels of
  /// others.
  private List<Peer> all(BenchEnvironment environment) throws IOException {
    List<Order> chosen = orders.stream().map(Order::of).distinct().toList();
    var all = new ArrayList<Peer>(isWithoutDirect ? List.of() : List.of(new DirectPeer()));
    Order first = chosen.getFirst();
    all.add(environment.viaduct(lines(environment, first)).named(name(first)));
    for (Order second : chosen.subList(1, chosen.size())) {
      all.add(environment.secondViaduct(lines(environment, second)).named(name(second)));
    }
    all.addAll(PeerScripts.unpack(environment.network(), environment.directory(), peers.names()));
    return all;
  }

  private static String name(Order order) {
    return order == Order.PRIORITY ? ViaductPeer.NAME : ViaductPeer.NAME + " " + order;
  }

  // Link B is forbidden: a flood that fills link A would move to it.
  private ViaductPeer.Lines lines(BenchEnvironment environment, Order order) throws IOException {
    String paced = pacing.isEmpty() ? "" : ", pacing: " + pacing;
    return new ViaductPeer.Lines(
        ViaductPeer.ONLY_LINK_A,
        environment.classLines(),
        "tunnel: {scheduling: {order: %s}%s}\n".formatted(order, paced),
        false);
  }

  private List<ClassLine> run(
      BenchNetwork network, Peer peer, AccessLine access, Bulk bulk, Way way, PayloadKind payload) {
    System.err.printf("%s Mbit/s %s %s %s%n", access, bulk, way, peer.name());
    network.shape(AccessLine.tcRate(access.first()));
    Map<TrafficClass, ClassResult> alone =
        load(
            network,
            peer,
            way,
            payload,
            bulk,
            bulk.withoutBulk(access),
            seconds / 2,
            NO_QUEUE_SECONDS);
    CompletableFuture<Void> change =
        CompletableFuture.runAsync(
            () -> network.shape(AccessLine.tcRate(access.then())),
            CompletableFuture.delayedExecutor((long) (seconds * 500), TimeUnit.MILLISECONDS));
    Map<TrafficClass, Double> offered = bulk.withBulk(access);
    Map<TrafficClass, ClassResult> full =
        load(network, peer, way, payload, bulk, offered, seconds, STRAGGLERS_SECONDS);
    change.join();
    var lines = new ArrayList<ClassLine>();
    full.forEach((of, result) -> {
      double rate = offered.getOrDefault(of, 0.0);
      lines.add(
          new ClassLine(access, bulk, way, peer.name(), of, rate, seconds, result, alone.get(of)));
    });
    return lines;
  }

  private Map<TrafficClass, ClassResult> load(
      BenchNetwork network,
      Peer peer,
      Way way,
      PayloadKind payload,
      Bulk bulk,
      Map<TrafficClass, Double> rates,
      double forSeconds,
      double stragglersSeconds) {
    Period period = Period.soon(System.nanoTime(), forSeconds, stragglersSeconds);
    var running = new EnumMap<TrafficClass, List<ClassResult.Running>>(TrafficClass.class);
    rates.forEach((of, rate) -> {
      int flows = bulk.flows(of);
      for (int i = 0; i < flows; i++) {
        var seconds = new FlowSeconds(of, period.beginNs(), (int) forSeconds);
        var payloads = payload.from(seed + of.ordinal() + 100L * i);
        var flow =
            new PacketFlow(network, of, i, rate / flows, payloads, seconds, System::nanoTime);
        running
            .computeIfAbsent(of, _ -> new ArrayList<>())
            .add(new ClassResult.Running(seconds, flow.start(way, peer.target(), period)));
      }
    });
    var results = new EnumMap<TrafficClass, ClassResult>(TrafficClass.class);
    running.forEach((of, flows) -> results.put(of, ClassResult.join(flows)));
    return results;
  }
}
