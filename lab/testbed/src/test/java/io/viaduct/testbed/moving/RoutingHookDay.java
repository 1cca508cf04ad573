package io.viaduct.testbed.moving;

import io.viaduct.testbed.process.FirstProcess;
import io.viaduct.testbed.topology.NetworkPlan;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.PacedStream;
import io.viaduct.testbed.traffic.TextDownload;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// The first process of the laboratory of [RoutingHookLabIT]; prints what it sees: flows of UDP and
/// TCP that end, as a reader of the routing hook hears of them, and as they are charged.
public final class RoutingHookDay {
  private static final int DOWNLOAD_BYTES = 3_000_000;
  private static final Duration CALL = Duration.ofSeconds(7); // statistics are told each 5 s

  private final MovingLab lab;
  private final Path socket;
  private final List<JsonNode> events = new CopyOnWriteArrayList<>();

  private RoutingHookDay(MovingLab lab, Path socket) {
    this.lab = lab;
    this.socket = socket;
  }

  /// @param arguments the clone, and a directory for this run
  public static void main(String[] arguments) throws Exception {
    FirstProcess.run(
        arguments,
        (clone, directory) -> {
          Path socket = directory.resolve("flows.sock");
          String agent = "routing-hook: {socket: %s}\ntunnel: {udp-idle: 4s}\n".formatted(socket);
          new RoutingHookDay(
                  new MovingLab(clone, directory, NetworkPlan.STANDARD, agent, ""), socket)
              .pass();
        });
  }

  private void pass() throws Exception {
    lab.start();
    Thread.ofVirtual().start(this::read);
    var to = new InetSocketAddress(Topology.SERVER, MovingLab.STREAM_PORT);
    long endNs = System.nanoTime() + CALL.toNanos();
    PacedStream.Result call =
        lab.network.device.call(() ->
            PacedStream.run(
                to,
                new byte[PacedStream.VOICE_BYTES],
                100,
                () -> System.nanoTime() - endNs < 0,
                System::nanoTime));
    var download = new TextDownload();
    lab.network.device.call(() ->
        download.run(Topology.SERVER, MovingLab.TEXT_PORT, "/text?seed=7&bytes=" + DOWNLOAD_BYTES));
    MovingLab.say("lost", call.lost());
    MovingLab.await(() -> ends().size() >= 2, "both flows have ended");
    long told = 0;
    for (JsonNode each : ends()) {
      told += each.path("sentBytes").asLong() + each.path("receivedBytes").asLong();
    }
    MovingLab.say("flows", flows().size());
    MovingLab.say("classes", classes());
    long bytes = told;
    MovingLab.await(() -> lab.chargedBytes() >= bytes, bytes + " bytes are charged");
    MovingLab.say("told bytes", told);
    MovingLab.say("charged bytes", lab.chargedBytes());
    MovingLab.say("statistics", events.stream().filter(each -> is(each, "statistics")).count());
  }

  private void read() {
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        events.add(JsonMapper.shared().readTree(line));
      }
    } catch (IOException e) {
      System.out.println("the reader ends: " + e.getMessage());
    }
  }

  private static long id(JsonNode event) {
    return event.path("id").asLong();
  }

  private static boolean is(JsonNode event, String kind) {
    return event.path("event").asString("").equals(kind);
  }

  /// Returns the flows to the server by their ids. A flow that opens while the reader connects is
  /// told twice.
  private Map<Long, JsonNode> flows() {
    return events.stream()
        .filter(each -> is(each, "flow"))
        .filter(each -> each.path("remote").asString("").equals(Topology.SERVER))
        .collect(Collectors.toMap(RoutingHookDay::id, each -> each, (first, _) -> first));
  }

  /// Returns the ends of the flows to the server.
  private List<JsonNode> ends() {
    Set<Long> ids = flows().keySet();
    return events.stream().filter(each -> is(each, "end") && ids.contains(id(each))).toList();
  }

  private List<String> classes() {
    return flows().values().stream()
        .map(each -> each.path("serviceClass").asString(""))
        .sorted()
        .toList();
  }
}
