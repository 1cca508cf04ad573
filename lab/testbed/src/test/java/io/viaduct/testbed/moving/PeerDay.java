package io.viaduct.testbed.moving;

import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.process.ServiceProcess;
import io.viaduct.testbed.topology.LinkPlan;
import io.viaduct.testbed.topology.LinkPlan.Family;
import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.topology.WeatheredCable;
import io.viaduct.testbed.traffic.PacedStream;
import io.viaduct.testbed.weather.Direction;
import io.viaduct.testbed.weather.WeatherText;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/// The first process of the laboratory of [PeerLabIT]; prints what it sees. Two hosts with two
/// links each tunnel to each other, without a SNAPT:
///
/// ```
///   device   ── linkA ── subnet A ── linkA ── device-2     gateway A and gateway B
///      └─────── linkB ── subnet B ── linkB ──┘             route between the subnets
/// ```
///
/// A TCP connection and a stream of UDP go on while each link dies, one link of each host at once,
/// and one direction of a link that stays up.
public final class PeerDay {
  private static final long SEED = 20_261_125;
  private static final String DIALS = "10.99.0.1"; // inner addresses
  private static final String LISTENS = "10.99.0.2";
  private static final int TCP_PORT = 7000;
  private static final int STREAM_PORT = 5004;
  private static final int PACKETS_PER_SECOND = 100;
  private static final long IDLE_NS = 5_000_000_000L;
  private static final long EVENT_NS = 1_000_000_000L;
  private static final List<String> LINKS = List.of("A", "B");
  private static final NetworkPlan PLAN =
      new NetworkPlan(
          2,
          LINKS.stream().map(name -> new LinkPlan(name, Set.of(Family.IPV4), true, name)).toList(),
          SEED);

  private final Topology network;
  private final PeerEnd dialling;
  private final PeerEnd listening;
  private final PeerEnd stranger;

  private PeerDay(Path root, Path directory) throws Exception {
    network = Topology.lay(PLAN);
    // The gateways route between both access networks, so each link of one host reaches each
    // address of the other one.
    network.gateway("A").ip("route replace 10.71.2.0/24 via 203.0.113.12");
    network.gateway("B").ip("route replace 10.71.1.0/24 via 203.0.113.11");
    for (String link : LINKS) {
      network.weather(link, "delay=5ms");
    }
    dialling = new PeerEnd(root, directory, "dials", network.devices().get(0));
    listening = new PeerEnd(root, directory, "listens", network.devices().get(1));
    stranger = new PeerEnd(root, directory, "stranger", network.devices().get(0));
  }

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments,
        (clone, directory) -> {
          new PeerDay(clone, directory).pass();
        });
  }

  private String address(int device, String link) {
    return PLAN.deviceAddress(device, PLAN.link(link), Family.IPV4);
  }

  private void pass() throws Exception {
    String both = address(2, "A") + ", " + address(2, "B");
    ServiceProcess second =
        listening.start(
            dialling.key, LISTENS, 9464, "listen: [%s], prefixes: [%s]".formatted(both, DIALS));
    ServiceProcess first =
        dialling.start(
            listening.key, DIALS, 9464, "dial: [%s], prefixes: [%s]".formatted(both, LISTENS));
    awaitPaths(4);
    MovingLab.await(() -> roundTrips() == 4, "the end that listens knows four round trips");
    System.out.println(dialling.paths() + listening.paths());
    MovingLab.say("paths at the end that dials", dialling.used());
    MovingLab.say("paths at the end that listens", listening.used().size());
    MovingLab.say("round trips known at the end that listens", roundTrips());
    onlyOneEndProbes();

    CountDownLatch serving = new CountDownLatch(1);
    CountDownLatch ending = new CountDownLatch(1);
    AtomicBoolean going = new AtomicBoolean(true);
    NetworkNamespace far = listening.host();
    CompletableFuture<Boolean> server =
        far.start(
            "tcp",
            () -> {
              SteadyConnection.serve(LISTENS, TCP_PORT, serving);
              return true;
            });
    var unused =
        far.start(
            "stream",
            () -> {
              PacedStream.echo(LISTENS, STREAM_PORT);
              return true;
            });
    serving.await();
    CompletableFuture<SteadyConnection.Result> connection =
        dialling
            .host()
            .start("tcp", () -> SteadyConnection.ask(LISTENS, TCP_PORT, ending, System::nanoTime));
    CompletableFuture<PacedStream.Result> stream =
        dialling
            .host()
            .start(
                "stream",
                () ->
                    PacedStream.run(
                        new InetSocketAddress(LISTENS, STREAM_PORT),
                        new byte[PacedStream.VOICE_BYTES],
                        PACKETS_PER_SECOND,
                        going::get,
                        System::nanoTime));
    pause(EVENT_NS);
    for (int device = 1; device <= 2; device++) {
      for (String link : LINKS) {
        lose(2, device + link);
      }
    }
    lose(1, "1A", "2B");
    lose(1, "1B", "2A");
    blackHole();
    refuseStranger();
    going.set(false);
    ending.countDown();
    PacedStream.Result seen = stream.get(20, TimeUnit.SECONDS);
    SteadyConnection.Result asked = connection.get(20, TimeUnit.SECONDS);
    server.get(20, TimeUnit.SECONDS);
    MovingLab.say("exchanges of the one TCP connection", asked.exchanges());
    MovingLab.say("longest exchange ms", asked.gapNs() / 1_000_000);
    MovingLab.say("stream sent", seen.sent());
    MovingLab.say("stream lost", seen.lost());
    MovingLab.say("stream longest gap ms", seen.gapNs() / 1_000_000);
    MovingLab.say("sessions", sessions());
    MovingLab.say("exit codes", first.stop() + " " + second.stop());
  }

  private void awaitPaths(int count) throws Exception {
    MovingLab.await(
        () -> dialling.used().size() == count && listening.used().size() == count,
        count + " paths carry data, at the ends: " + dialling.used() + ", " + listening.used());
  }

  private long roundTrips() throws Exception {
    return listening
        .status()
        .path("paths")
        .valueStream()
        .filter(path -> path.path("usualDelayMs").asDouble(0) > 0)
        .filter(path -> path.path("delayMs").asDouble(0) > 0)
        .count();
  }

  private long sessions() throws Exception {
    return List.of(dialling.status(), listening.status()).stream()
        .map(status -> status.path("session").path("id").asString(""))
        .distinct()
        .count();
  }

  /// Counts the datagrams that both ends send while there is nothing to carry: probes and their
  /// answers.
  private void onlyOneEndProbes() {
    long dials = -datagramsOf(dialling);
    long listens = -datagramsOf(listening);
    pause(IDLE_NS);
    MovingLab.say("idle datagrams of the end that dials", dials + datagramsOf(dialling));
    MovingLab.say("idle datagrams of the end that listens", listens + datagramsOf(listening));
  }

  /// Returns the datagrams that the programs of a host have sent (`Udp: … OutDatagrams`).
  private static long datagramsOf(PeerEnd end) {
    return end.host()
        .call(() ->
            Files.readAllLines(Path.of("/proc/thread-self/net/snmp")).stream()
                .filter(line -> line.startsWith("Udp:"))
                .skip(1)
                .mapToLong(line -> Long.parseLong(line.split(" ")[4]))
                .findFirst()
                .orElseThrow());
  }

  /// Takes links of hosts down and up again, such as `1A`.
  private void lose(int left, String... links) throws Exception {
    for (String each : links) {
      host(each).ip("link set link%s down".formatted(each.substring(1)));
    }
    awaitPaths(left);
    pause(EVENT_NS);
    MovingLab.say("without " + String.join(" and ", links), dialling.used());
    for (String each : links) {
      network.restoreLink(each.substring(1));
    }
    awaitPaths(4);
  }

  private NetworkNamespace host(String link) {
    return network.devices().get(link.charAt(0) - '1');
  }

  /// Loses what leaves the dialling host by link A: its probes stop, and the other direction works.
  private void blackHole() throws Exception {
    long before = watchdogs();
    WeatheredCable cable =
        network.weatheredCables().stream()
            .filter(each -> each.link().name().equals("A") && each.device().equals(host("1A")))
            .findFirst()
            .orElseThrow();
    var link = cable.weathered();
    link.change(
        Direction.UP, WeatherText.apply(link.weather(Direction.UP), List.of("blackhole=on")));
    MovingLab.await(() -> watchdogs() >= before + 2, "the watchdog fires for both paths");
    MovingLab.say("watchdog fired for paths", watchdogs() - before);
    System.out.println(listening.paths());
    MovingLab.say("without probes by link A", listening.used().size());
    link.change(
        Direction.UP, WeatherText.apply(link.weather(Direction.UP), List.of("blackhole=off")));
    awaitPaths(4);
  }

  private long watchdogs() throws Exception {
    return listening.status().path("peer").path("watchdogs").asLong(0);
  }

  /// Dials with a key that the listening end does not know.
  private void refuseStranger() throws Exception {
    ServiceProcess other =
        stranger.start(
            listening.key,
            "10.99.0.3",
            9465,
            "dial: [%s], prefixes: [10.99.0.4]".formatted(address(2, "A")));
    MovingLab.await(
        () -> refusals() > 0, "the end that listens has refused the key that it does not know");
    MovingLab.say("refused keys", refusals() > 0);
    MovingLab.say(
        "told to the stranger", stranger.status().path("control").path("lastFailure").asString(""));
    other.stop();
  }

  private long refusals() throws Exception {
    return listening.status().path("peer").path("refusedConnections").path("key_refused").asLong(0);
  }

  private static void pause(long ns) {
    long endNs = System.nanoTime() + ns;
    while (System.nanoTime() - endNs < 0) {
      LockSupport.parkNanos(10_000_000);
    }
  }
}
