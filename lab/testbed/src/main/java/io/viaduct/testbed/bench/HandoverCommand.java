package io.viaduct.testbed.bench;

import io.viaduct.testbed.deployment.DualStack;
import io.viaduct.testbed.report.BenchOptions;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `viaduct bench handover`: what events on the links of a device cost, for Viaduct and for other
/// means of mobility. Each peer runs alone, one after the other, on links with weather.
@Command(
    name = "handover",
    mixinStandardHelpOptions = true,
    description = "outage, loss and order at hand-overs, beside other means of mobility")
final class HandoverCommand implements Callable<Integer> {
  private static final List<String> TUNNELS = List.of("strongswan", "openvpn", "wireguard-go");
  private static final List<String> PEERS =
      Stream.concat(
              Stream.of(ViaductPeer.NAME),
              Stream.concat(TUNNELS.stream(), Stream.of(MptcpPeer.NAME)))
          .toList();
  private static final int OTHERS = 10;

  @Option(
      names = "--repetitions",
      description =
          "of each event and peer (default: 50 of ours, fewer of long events, "
              + OTHERS
              + " of others)")
  private int repetitions;

  @Option(names = "--only", split = ",", description = "events, by name (default: all)")
  private List<String> only = List.of();

  @Option(
      names = "--peers",
      split = ",",
      description = "viaduct, strongswan, openvpn, wireguard-go, mptcp (default: all)")
  private List<String> chosen = List.of();

  @Option(
      names = "--seed",
      description = "of the weather and of the content (default ${DEFAULT-VALUE})")
  private long seed = 1;

  @Option(names = "--resume", description = "goes on with a run that was interrupted")
  private boolean isResuming;

  @Mixin private BenchOptions options = new BenchOptions();

  private final Map<String, String> missing = new LinkedHashMap<>();
  private Map<String, String> notes = new LinkedHashMap<>();

  @Override
  public Integer call() throws Exception {
    if (repetitions < 0) {
      throw new IllegalArgumentException(
          "--repetitions is %d: it must be at least 1".formatted(repetitions));
    }
    List<HandoverEvent> events =
        Selection.of(HandoverEvents.all(), HandoverEvent::name, only, "event");
    List<String> names = Selection.of(PEERS, name -> name, chosen, "peer");
    Repetitions done = repetitions();
    Topology topology = Topology.lay(MovingLinks.plan(seed));
    try (BenchEnvironment environment = BenchEnvironment.open(options, topology)) {
      var links = new MovingLinks(topology, environment.network());
      List<Peer> peers = Selection.of(peers(environment), Peer::name, names, "peer");
      for (Peer peer : peers) {
        run(links, peer, events, done);
      }
      Map<String, String> conditions = environment.conditions();
      describe(conditions);
      new HandoverReport(events, peers.stream().map(Peer::name).toList(), done)
          .of(conditions, missing)
          .publish(System.out, options.output());
    }
    return 0;
  }

  private Repetitions repetitions() throws IOException {
    Path file = options.output().resolve("handover-repetitions.jsonl");
    Map<String, String> run = new TreeMap<>();
    run.put("seed", String.valueOf(seed));
    run.put("commit", String.valueOf(options.conditions().get("commit")));
    return isResuming ? Repetitions.resume(file, run) : Repetitions.begin(file, run);
  }

  private static List<Peer> peers(BenchEnvironment environment) throws Exception {
    Path directory = environment.directory();
    DualStack.nameSnapt(directory);
    var lines =
        new ViaductPeer.Lines(
            ViaductPeer.ALL_LINKS, environment.classLines() + CopiesEvent.POLICY, "", true);
    var peers = new ArrayList<Peer>(List.of(environment.viaduct(lines)));
    peers.addAll(PeerScripts.unpack(environment.network(), directory, TUNNELS));
    peers.add(new MptcpPeer(environment.network()));
    return peers;
  }

  private void run(MovingLinks links, Peer peer, List<HandoverEvent> events, Repetitions done)
      throws Exception {
    boolean isOurs = peer.role() == Role.OURS;
    List<HandoverEvent> left =
        events.stream()
            .filter(event -> isOurs || event.isFor(peer))
            .filter(event -> done.count(event.name(), peer.name()) < wanted(event, isOurs))
            .toList();
    if (left.isEmpty()) {
      return;
    }
    for (String link : List.of("A", "B")) {
      links.restore(link);
    }
    links.lose("C");
    try (var running = RunningPeers.start(links.network(), List.of(peer))) {
      missing.putAll(running.missing());
      notes = running.describe(notes);
      if (!running.list().isEmpty()) {
        for (HandoverEvent event : left) {
          run(new MovingRig(links, peer, System::nanoTime), event, wanted(event, isOurs), done);
        }
      }
    }
  }

  private int wanted(HandoverEvent event, boolean isOurs) {
    int usual = isOurs ? event.repetitions() : OTHERS;
    return repetitions > 0 ? repetitions : usual;
  }

  private void run(MovingRig rig, HandoverEvent event, int wanted, Repetitions done)
      throws Exception {
    String peer = rig.peer().name();
    for (int number = done.count(event.name(), peer) + 1; number <= wanted; number++) {
      System.err.printf("%s, %s: %d of %d%n", event.name(), peer, number, wanted);
      try {
        done.add(event.name(), peer, event.run(rig, seed * 1_000_003 + number));
      } catch (IllegalStateException | CompletionException e) {
        missing.put(
            "%s, %s".formatted(peer, event.name()),
            "repetition %d: %s".formatted(number, e.getMessage()));
        System.err.printf("%s, %s: %s%n", event.name(), peer, e.getMessage());
        return;
      }
    }
  }

  private void describe(Map<String, String> conditions) {
    conditions.putAll(notes);
    conditions.put(
        "stream",
        "%d messages/s of %d bytes each way, RTT 20 ms; UDP, for mptcp TCP; the peers run one after the other"
            .formatted(TwoWayStream.PER_SECOND, StreamEnd.BYTES));
    conditions.put(
        "outage",
        "longest silence from the event until 1 s of flow, less the longest silence of the second before");
    conditions.put(
        "flood",
        "60 s of UDP of 84 bytes with IP header; link A goes after 30 s, link B comes 1.20 s later");
  }
}
