package io.viaduct.testbed.demo;

import io.viaduct.testbed.process.StatusSocket;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.PacedStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import tools.jackson.databind.JsonNode;

/// Step (b): link A stays up, but nothing passes its gateway any more. The kernel reports nothing;
/// only the missing answers show it.
final class SilenceStep {
  private static final int PACKETS_PER_SECOND = 100;
  private static final long GAP_LIMIT_NS = 1_000_000_000L;
  private static final long BEFORE_NS = 2_000_000_000L;
  private static final String LINK_A = "linkA";
  private static final String LINK_B = "linkB";

  private final Topology topology;
  private final Path agent;
  private final Retry retry;
  private final LongSupplier nanoTime;

  /// @param agent the agent's status socket
  SilenceStep(Topology topology, Path agent, Retry retry, LongSupplier nanoTime) {
    this.topology = topology;
    this.agent = agent;
    this.retry = retry;
    this.nanoTime = nanoTime;
  }

  /// Runs the step.
  void run(Narration narration) throws IOException {
    topology.gateway("A").ip("link set core0 up");
    topology.restoreLink("A");
    retry.until(() -> used(LINK_A, LINK_B));
    topology.loseLink("B"); // so that the traffic takes link A
    retry.until(() -> used(LINK_A));
    topology.restoreLink("B");
    retry.until(() -> used(LINK_A, LINK_B));
    AtomicBoolean going = new AtomicBoolean(true);
    CompletableFuture<PacedStream.Result> stream =
        topology.device.start(
            "silence",
            () ->
                PacedStream.run(
                    new InetSocketAddress(Topology.SERVER, FarEnd.STREAM_PORT),
                    new byte[PacedStream.VOICE_BYTES],
                    PACKETS_PER_SECOND,
                    going::get,
                    nanoTime));
    try {
      pause(BEFORE_NS);
      topology.gateway("A").ip("link set core0 down");
      narration.line("gateway A forwards nothing any more; link A is up at the device");
      retry.until(() -> used(LINK_B));
      pause(BEFORE_NS);
    } finally {
      going.set(false);
    }
    told(narration, stream.orTimeout(20, TimeUnit.SECONDS).join());
    topology.gateway("A").ip("link set core0 up");
  }

  private static void told(Narration narration, PacedStream.Result stream) {
    narration.hold(
        stream.returned() > 0 && stream.gapNs() < GAP_LIMIT_NS,
        "the device left link A: longest gap %.0f ms, lost %d of %d packets there and back",
        stream.gapNs() / 1e6,
        stream.lost(),
        stream.sent());
  }

  /// Returns the paths if exactly these links carry data.
  ///
  /// @throws IOException if others do
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

  private void pause(long ns) {
    long endNs = nanoTime.getAsLong() + ns;
    while (nanoTime.getAsLong() - endNs < 0) {
      LockSupport.parkNanos(10_000_000);
    }
  }
}
