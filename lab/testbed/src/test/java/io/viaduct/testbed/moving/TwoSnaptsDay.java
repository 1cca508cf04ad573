package io.viaduct.testbed.moving;

import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.PacedStream;
import io.viaduct.testbed.traffic.TcpStream;
import io.viaduct.testbed.traffic.Way;
import java.net.InetSocketAddress;
import java.util.Comparator;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/// The first process of the laboratory of [TwoSnaptsLabIT]; prints what it sees. Figure 10 of the
/// main paper: two gateways of 10 Mbit/s with round trips of 20 and 60 ms, and a SNAPT behind each.
/// A stream of the class HT_LD, and beside it a TCP flow of a class of high delay:
///
/// ```
///   device ── linkA ── gateway A ── snapt-1
///      └───── linkB ── gateway B ── snapt-2
/// ```
public final class TwoSnaptsDay {
  private static final long SEED = 20_261_126;
  private static final double SECONDS = 8;
  private static final long NEW_MS = 1_500;
  private static final int PAYLOAD_BYTES = 1_000;
  private static final int PACKETS_PER_SECOND = 1_000; // 8.4 Mbit/s each way, with headers
  private static final long STREAM_SEEN_BYTES = 2_000_000;

  private final MovingLab lab;

  private TwoSnaptsDay(MovingLab lab) {
    this.lab = lab;
  }

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments,
        (clone, directory) -> {
          String agent = "snapts: {sessions: 2}\n";
          new TwoSnaptsDay(new MovingLab(clone, directory, NetworkPlan.CHANGEABLE, agent, ""))
              .pass();
        });
  }

  private void pass() throws Exception {
    lab.network.weather("A", "delay=10ms", "rate=10mbit", "queue=100p");
    lab.network.weather("B", "delay=30ms", "rate=10mbit", "queue=100p");
    lab.network.gateway("A").ip("route replace unreachable " + Topology.SNAPT_2);
    lab.network.gateway("B").ip("route replace unreachable " + Topology.SNAPT_1);
    lab.withSecondSnapt();
    lab.start();
    MovingLab.await(() -> states().equals("carrying carrying"), "both SNAPTs carry");
    MovingLab.say("SNAPTs in use", lab.status().path("snapts").size());
    long[] before = {carried(1), carried(2)};
    long streamEndNs = System.nanoTime() + (long) ((SECONDS + 6) * 1e9);
    CompletableFuture<PacedStream.Result> stream = stream(streamEndNs);
    MovingLab.await(() -> !flow("HT_LD").isMissingNode(), "the stream has a flow");
    MovingLab.say("stream by", flow("HT_LD").path("snapt").asString(""));
    MovingLab.say("why the stream", flow("HT_LD").path("snaptWhy").asString(""));
    // A flow that begins in the first second finds no traffic yet.
    MovingLab.await(
        () -> carried(1) + carried(2) - before[0] - before[1] > STREAM_SEEN_BYTES,
        "the stream has carried for two seconds");
    byte[] content = new byte[1 << 20];
    new Random(SEED).nextBytes(content);
    TcpStream.Carried tcp =
        new TcpStream(lab.network.device, lab.network.server, System::nanoTime)
            .run(Topology.SERVER, Way.UP, content, SECONDS);
    MovingLab.say("TCP by", flow("HD").path("snapt").asString(""));
    MovingLab.say("why TCP", flow("HD").path("snaptWhy").asString(""));
    MovingLab.say("TCP Mbit/s", tcp.mbitPerSecond());
    PacedStream.Result seen = stream.get(60, TimeUnit.SECONDS);
    double seconds = seen.sent() / (double) PACKETS_PER_SECOND;
    double streamMbit = seen.returned() * PAYLOAD_BYTES * 8 / 1e6 / seconds;
    MovingLab.say("stream Mbit/s", streamMbit);
    MovingLab.say("stream lost", seen.lost());
    MovingLab.say("sum Mbit/s", tcp.mbitPerSecond() + streamMbit);
    long[] now = {carried(1) - before[0], carried(2) - before[1]};
    MovingLab.say("MB by snapt-1", now[0] / 1e6);
    MovingLab.say("MB by snapt-2", now[1] / 1e6);
    long all = lab.carriedBytes();
    MovingLab.await(
        () -> lab.chargedBytes() >= 0.97 * all, "97 %% of %d bytes are charged".formatted(all));
    MovingLab.say("charged percent", 100.0 * lab.chargedBytes() / lab.carriedBytes());
    drain();
  }

  /// Drains the near SNAPT while a flow uses it: the flow goes on, and a new one has the other
  /// SNAPT.
  private void drain() throws Exception {
    AtomicBoolean going = new AtomicBoolean(true);
    CompletableFuture<PacedStream.Result> held = call(going::get);
    MovingLab.await(() -> newest().path("ageMs").asLong(NEW_MS) < NEW_MS, "the call has a flow");
    int port = newest().path("localPort").asInt();
    MovingLab.say("call by", flow(port).path("snapt").asString(""));
    long drainedNs = System.nanoTime();
    MovingLab.say("drain", act("drain"));
    MovingLab.await(() -> states().equals("leaving carrying"), "the device knows of the drain");
    MovingLab.say("told after ms", (System.nanoTime() - drainedNs) / 1_000_000);
    long newEndNs = System.nanoTime() + 2_000_000_000L;
    CompletableFuture<PacedStream.Result> fresh = call(() -> System.nanoTime() - newEndNs < 0);
    MovingLab.await(() -> flows("snapt-2") > 0, "a new call has a flow at snapt-2");
    MovingLab.say("new call lost", fresh.get(60, TimeUnit.SECONDS).lost());
    MovingLab.say("the held flow stays at", flow(port).path("snapt").asString(""));
    going.set(false);
    MovingLab.say("held call lost", held.get(60, TimeUnit.SECONDS).lost());
    MovingLab.say("undrain", act("undrain"));
    MovingLab.await(() -> states().equals("carrying carrying"), "the SNAPT serves again");
  }

  private CompletableFuture<PacedStream.Result> call(BooleanSupplier going) {
    var to = new InetSocketAddress(Topology.SERVER, MovingLab.STREAM_PORT);
    return lab.network.device.start(
        "call",
        () -> PacedStream.run(to, new byte[PacedStream.VOICE_BYTES], 50, going, System::nanoTime));
  }

  private String act(String verb) {
    String socket = lab.deployment.plans().socket("snapt-1").toString();
    return lab.command("snapt", verb, "--socket", socket);
  }

  /// Returns the newest flow of low delay to the server.
  private JsonNode newest() throws Exception {
    JsonNode flows = lab.status().path("data").path("flows");
    return flows
        .valueStream()
        .filter(flow -> flow.path("remote").asString("").startsWith(Topology.SERVER))
        .filter(flow -> flow.path("serviceClass").asString("").equals("HT_LD"))
        .min(Comparator.comparingLong(flow -> flow.path("ageMs").asLong()))
        .orElse(flows.path("none"));
  }

  private JsonNode flow(int port) throws Exception {
    JsonNode flows = lab.status().path("data").path("flows");
    return flows
        .valueStream()
        .filter(flow -> flow.path("localPort").asInt() == port)
        .findFirst()
        .orElse(flows.path("none"));
  }

  /// Returns the number of flows of low delay to the server at a SNAPT.
  private long flows(String snapt) throws Exception {
    return lab.status()
        .path("data")
        .path("flows")
        .valueStream()
        .filter(flow -> flow.path("remote").asString("").startsWith(Topology.SERVER))
        .filter(flow -> flow.path("serviceClass").asString("").equals("HT_LD"))
        .filter(flow -> flow.path("snapt").asString("").startsWith(snapt))
        .count();
  }

  private CompletableFuture<PacedStream.Result> stream(long endNs) {
    byte[] payload = new byte[PAYLOAD_BYTES];
    new Random(SEED).nextBytes(payload); // nothing that can be compressed
    var to = new InetSocketAddress(Topology.SERVER, MovingLab.STREAM_PORT);
    return lab.network.device.start(
        "stream",
        () ->
            PacedStream.run(
                to,
                payload,
                PACKETS_PER_SECOND,
                () -> System.nanoTime() - endNs < 0,
                System::nanoTime));
  }

  private String states() throws Exception {
    return lab.status()
        .path("snapts")
        .valueStream()
        .map(each -> each.path("state").asString(""))
        .collect(Collectors.joining(" "));
  }

  /// Returns the flow to the server with the most bytes whose class ends so.
  private JsonNode flow(String serviceClass) throws Exception {
    JsonNode flows = lab.status().path("data").path("flows");
    return flows
        .valueStream()
        .filter(flow -> flow.path("remote").asString("").startsWith(Topology.SERVER))
        .filter(flow -> flow.path("serviceClass").asString("").endsWith(serviceClass))
        .findFirst()
        .orElse(flows.path("none"));
  }

  /// Returns the inner bytes of a SNAPT's session.
  private long carried(int number) throws Exception {
    return lab.status()
        .path("snapts")
        .valueStream()
        .filter(each -> each.path("snapt").asString("").startsWith("snapt-" + number))
        .mapToLong(each -> each.path("carriedBytes").asLong(0))
        .sum();
  }
}
