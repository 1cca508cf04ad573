package io.viaduct.testbed.demo;

import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.PacedStream;
import io.viaduct.testbed.traffic.TextDownload;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;

/// Step (b): a download and a packet stream, while link A goes down in the middle.
final class HandoverStep {
  static final long BYTES = 60_000_000;
  private static final long RATE_BIT_PER_SECOND = 100_000_000;
  private static final long SEED = 20_150_901;
  private static final int PACKETS_PER_SECOND = 100;
  private static final long GAP_LIMIT_NS = 2_000_000_000L;
  private static final long RESTART_GAP_LIMIT_NS =
      20_000_000_000L; // restart of a SNAPT and reconnection

  private final Topology topology;
  private final LongPredicate restarted;
  private final LongSupplier nanoTime;

  /// Makes the step.
  ///
  /// @param restarted returns true if a SNAPT was restarted after a moment
  HandoverStep(Topology topology, LongPredicate restarted, LongSupplier nanoTime) {
    this.topology = topology;
    this.restarted = restarted;
    this.nanoTime = nanoTime;
  }

  /// Returns the bytes that the download transfers in a time.
  static long bytesIn(Duration time) {
    return RATE_BIT_PER_SECOND / 8 * time.toMillis() / 1000;
  }

  /// Runs the step.
  ///
  /// @param middle runs right after the hand-over
  void run(Narration narration, Runnable middle) {
    topology.restoreLink("A"); // link A is already down when the step is repeated
    long startNs = nanoTime.getAsLong();
    var going = new AtomicBoolean(true);
    var to = new InetSocketAddress(Topology.SERVER, FarEnd.STREAM_PORT);
    CompletableFuture<PacedStream.Result> stream =
        topology.device.start(
            "stream",
            () ->
                PacedStream.run(
                    to,
                    new byte[PacedStream.VOICE_BYTES],
                    PACKETS_PER_SECOND,
                    going::get,
                    nanoTime));
    var download = new TextDownload();
    try {
      download(narration, download, middle);
    } finally {
      download.stop();
      going.set(false);
    }
    stream(
        narration,
        stream.orTimeout(20, TimeUnit.SECONDS).join(),
        restarted.test(startNs) ? RESTART_GAP_LIMIT_NS : GAP_LIMIT_NS);
  }

  private void download(Narration narration, TextDownload download, Runnable middle) {
    String path = "/text?seed=%d&bytes=%d&rate=%d".formatted(SEED, BYTES, RATE_BIT_PER_SECOND);
    long startNs = nanoTime.getAsLong();
    CompletableFuture<TextDownload.Result> result =
        topology.device.start(
            "download", () -> download.run(Topology.SERVER, FarEnd.TEXT_PORT, path));
    while (download.received() < BYTES * 2 / 5 && !result.isDone()) {
      LockSupport.parkNanos(10_000_000);
    }
    topology.loseLink("A");
    narration.line("link A is down after %.1f MB; link B remains", download.received() / 1e6);
    middle.run();
    finish(narration, result, startNs);
  }

  private void finish(
      Narration narration, CompletableFuture<TextDownload.Result> pending, long startNs) {
    try {
      TextDownload.Result result = pending.orTimeout(120, TimeUnit.SECONDS).join();
      double seconds = (nanoTime.getAsLong() - startNs) / 1e9;
      narration.hold(
          result.bytes() == BYTES,
          "the same TCP connection (port %d) finished: %.0f MB in %.1f s, %.0f Mbit/s",
          result.localPort(),
          result.bytes() / 1e6,
          seconds,
          result.bytes() * 8 / seconds / 1e6);
      narration.hold(
          result.sha256().equals(TextDownload.expected(SEED, BYTES)),
          "SHA-256 equal: %s…",
          result.sha256().substring(0, 16));
    } catch (RuntimeException e) {
      narration.hold(false, "the same TCP connection finished: %s", e.getCause());
    }
  }

  private static void stream(Narration narration, PacedStream.Result stream, long gapLimitNs) {
    narration.hold(
        stream.returned() > 0 && stream.gapNs() < gapLimitNs,
        "UDP at %d packets/s, there and back: longest gap %.0f ms, lost %d of %d (%.2f %%)",
        PACKETS_PER_SECOND,
        stream.gapNs() / 1e6,
        stream.lost(),
        stream.sent(),
        100.0 * stream.lost() / Math.max(1, stream.sent()));
  }
}
