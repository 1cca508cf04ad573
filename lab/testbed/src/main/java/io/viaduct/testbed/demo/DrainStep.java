package io.viaduct.testbed.demo;

import io.viaduct.testbed.deployment.Deployment;
import io.viaduct.testbed.process.StatusSocket;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.TextDownload;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import tools.jackson.databind.JsonNode;

/// Step (f): the device's SNAPT is drained in the middle of a download, as before an upgrade. The
/// session moves to the other SNAPT of the group with its public address, so the TCP connection
/// goes on. Afterwards the drained SNAPT serves again.
final class DrainStep {
  private static final long BYTES = 20_000_000;
  private static final long RATE_BIT_PER_SECOND = 32_000_000;
  private static final long SEED = 20_261_126;
  private static final String DEADLINE_SECONDS = "1";
  private static final long PAUSE_LIMIT_NS = 10_000_000_000L;
  private static final long LOOK_NS = 1_000_000;

  private final Topology topology;
  private final Deployment deployment;
  private final Retry retry;
  private final LongSupplier nanoTime;
  private long downloaded;

  DrainStep(Topology topology, Deployment deployment, Retry retry, LongSupplier nanoTime) {
    this.topology = topology;
    this.deployment = deployment;
    this.retry = retry;
    this.nanoTime = nanoTime;
  }

  /// Returns the bytes of text that all runs of the step have received.
  long downloaded() {
    return downloaded;
  }

  /// Runs the step.
  void run(Narration narration) throws IOException {
    String drained = at();
    var download = new TextDownload();
    String path = "/text?seed=%d&bytes=%d&rate=%d".formatted(SEED, BYTES, RATE_BIT_PER_SECOND);
    long startNs = nanoTime.getAsLong();
    CompletableFuture<TextDownload.Result> result =
        topology.device.start(
            "moved", () -> download.run(Topology.SERVER, FarEnd.MOVED_PORT, path));
    try {
      long pauseNs = drain(narration, drained, download, result);
      finish(narration, result, nanoTime.getAsLong() - startNs, pauseNs, at());
      free(narration, drained);
    } finally {
      download.stop();
      downloaded += download.received();
      var unused = deployment.order(drained, "undrain");
      narration.line("snapt undrain: %s serves again", drained);
    }
  }

  /// Returns the id of the SNAPT that the device uses.
  private String at() throws IOException {
    return retry.until(() -> {
      String at = status("cnapt").path("session").path("snapt").asString("");
      if (at.isEmpty()) {
        throw new IOException("the agent has no session");
      }
      return at.split(" ")[0];
    });
  }

  private JsonNode status(String process) throws IOException {
    return StatusSocket.read(deployment.plans().socket(process));
  }

  /// Drains a SNAPT after a fifth of the download.
  ///
  /// @return the longest time in which nothing was received, once the download has ended
  private long drain(
      Narration narration,
      String snapt,
      TextDownload download,
      CompletableFuture<TextDownload.Result> result) {
    CompletableFuture<String> order = null;
    long before = 0;
    long pauseNs = 0;
    long sinceNs = nanoTime.getAsLong();
    while (!result.isDone()) {
      long received = download.received();
      long nowNs = nanoTime.getAsLong();
      if (received != before) {
        pauseNs = before == 0 ? 0 : Math.max(pauseNs, nowNs - sinceNs);
        before = received;
        sinceNs = nowNs;
      }
      if (order == null && received > BYTES / 5) {
        order =
            CompletableFuture.supplyAsync(
                () -> deployment.order(snapt, "drain", "--deadline", DEADLINE_SECONDS));
      }
      LockSupport.parkNanos(LOOK_NS);
    }
    if (order != null) {
      var unused = order.join();
      narration.line("snapt drain --deadline %s, at %s", DEADLINE_SECONDS, snapt);
    }
    return pauseNs;
  }

  private static void finish(
      Narration narration,
      CompletableFuture<TextDownload.Result> pending,
      long tookNs,
      long pauseNs,
      String at) {
    try {
      TextDownload.Result result = pending.orTimeout(60, TimeUnit.SECONDS).join();
      narration.hold(
          result.sha256().equals(TextDownload.expected(SEED, BYTES)) && pauseNs < PAUSE_LIMIT_NS,
          "the same TCP connection (port %d) goes on at %s: %.0f MB in %.1f s, longest pause %.0f ms,"
              + " SHA-256 equal: %s…",
          result.localPort(),
          at,
          result.bytes() / 1e6,
          tookNs / 1e9,
          pauseNs / 1e6,
          result.sha256().substring(0, 16));
    } catch (CompletionException e) {
      narration.hold(false, "the same TCP connection goes on at %s: %s", at, e.getCause());
    }
  }

  /// Checks that a drained SNAPT may be stopped.
  private void free(Narration narration, String drained) throws IOException {
    int left =
        retry.until(() -> {
          int sessions = status(drained).path("sessions").size();
          if (sessions > 0) {
            throw new IOException("%s still has %d sessions".formatted(drained, sessions));
          }
          return sessions;
        });
    String at = at();
    narration.hold(
        !at.equals(drained),
        "%s has %d sessions and could be upgraded now; the device is at %s",
        drained,
        left,
        at);
  }
}
