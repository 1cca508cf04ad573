package io.viaduct.testbed.demo;

import io.viaduct.testbed.process.FlowLinks;
import io.viaduct.testbed.process.StatusSocket;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.PacedStream;
import io.viaduct.testbed.weather.Direction;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import tools.jackson.databind.JsonNode;

/// The device's links A and B as its agent sees them, and a stream that travels by them.
final class DeviceLinks {
  static final String A = "linkA";
  static final String B = "linkB";
  private static final int PACKETS_PER_SECOND = 100;
  private static final String REMOTE = Topology.SERVER + ":" + FarEnd.STREAM_PORT;

  final Topology topology;
  private final Path agent;
  private final Retry retry;
  private final LongSupplier nanoTime;

  /// @param agent the agent's status socket
  DeviceLinks(Topology topology, Path agent, Retry retry, LongSupplier nanoTime) {
    this.topology = topology;
    this.agent = agent;
    this.retry = retry;
    this.nanoTime = nanoTime;
  }

  /// Gives links A and B the rates of a mobile network, with a queue of 100 ms.
  static void mobile(Topology topology) {
    for (String link : List.of("A", "B")) {
      topology.weather(link, Direction.DOWN, "rate=20mbit", "queue=250kB");
      topology.weather(link, Direction.UP, "rate=5mbit", "queue=64kB");
    }
  }

  /// Takes the limits of the rates away.
  static void unlimited(Topology topology) {
    for (String link : List.of("A", "B")) {
      topology.weather(link, "rate=unlimited");
    }
  }

  /// Ends the bad weather of link A.
  private void clear() {
    topology.weather("A", "delay=0ms", "loss=0%");
  }

  /// Makes both links and their gateways work.
  void restore() throws IOException {
    clear();
    topology.gateway("B").ip("link set core0 up");
    topology.restoreLink("A");
    topology.restoreLink("B");
    awaitUsed(A, B);
  }

  /// Takes a link of the device down.
  ///
  /// @param link [#A] or [#B]
  void lose(String link) {
    topology.device.ip("link set %s down".formatted(link));
  }

  /// Starts a stream of packets to the far end and back.
  ///
  /// @param part returns the number of the present part; `parts` ends the stream
  CompletableFuture<List<PacedStream.Result>> stream(int parts, IntSupplier part) {
    return topology.device.start(
        "stream",
        () ->
            PacedStream.run(
                new InetSocketAddress(Topology.SERVER, FarEnd.STREAM_PORT),
                new byte[PacedStream.VOICE_BYTES],
                PACKETS_PER_SECOND,
                parts,
                part,
                nanoTime));
  }

  /// Waits until exactly these links carry data.
  void awaitUsed(String... links) throws IOException {
    retry.until(() -> used(links));
  }

  private JsonNode used(String... links) throws IOException {
    JsonNode paths = StatusSocket.read(agent).path("paths");
    int used = 0;
    int wanted = 0;
    for (JsonNode path : paths) {
      boolean carries = !path.path("use").asString("").equals("no");
      used += carries ? 1 : 0;
      for (String link : links) {
        wanted += carries && path.path("link").asString("").equals(link) ? 1 : 0;
      }
    }
    if (used != links.length || wanted != links.length) {
      throw new IOException("the agent's paths are " + paths);
    }
    return paths;
  }

  /// Waits until the newest stream leaves the device by a link.
  ///
  /// @return the time that this took
  long awaitStreamBy(String link) throws IOException {
    long startNs = nanoTime.getAsLong();
    return retry.until(() -> {
      JsonNode status = StatusSocket.read(agent);
      String by = FlowLinks.newestTo(REMOTE, status).orElse("no link");
      if (!by.equals(link)) {
        throw new IOException(
            "the stream leaves by %s; the paths are %s".formatted(by, status.path("paths")));
      }
      return nanoTime.getAsLong() - startNs;
    });
  }

  /// Waits until a flow to a remote end leaves the device, and returns the newest one's link.
  ///
  /// @param remote beginning of `address:port`
  String awaitLinkTo(String remote) throws IOException {
    return retry.until(() -> {
      JsonNode status = StatusSocket.read(agent);
      return FlowLinks.newestTo(remote, status)
          .orElseThrow(() -> new IOException("no flow leaves to %s: %s".formatted(remote, status)));
    });
  }

  long nowNs() {
    return nanoTime.getAsLong();
  }

  void pause(long ns) {
    long endNs = nanoTime.getAsLong() + ns;
    while (nanoTime.getAsLong() - endNs < 0) {
      LockSupport.parkNanos(10_000_000);
    }
  }
}
