package io.viaduct.testbed.demo;

import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.PacedStream;
import io.viaduct.testbed.traffic.TextDownload;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/// (a) a download and (b) a packet stream, with link A pulled in their middle.
final class HandoverStep {
  static final long BYTES = 60_000_000;
  private static final long RATE_BIT_PER_SECOND = 100_000_000;
  private static final long SEED = 20_150_901;
  private static final int PACKETS_PER_SECOND = 100;
  private static final long GAP_LIMIT_NS = 2_000_000_000L;

  private final Topology topology;
  private final LongSupplier nanoTime;

  HandoverStep(Topology topology, LongSupplier nanoTime) {
    this.topology = topology;
    this.nanoTime = nanoTime;
  }

  /// @param middle runs right after the hand-over
  /// @param relayDies whether it kills the SNAPT: the translated connections end with it, so the
  ///   download is made again on a new one
  void run(Narration narration, Runnable middle, boolean relayDies) {
    var going = new AtomicBoolean(true);
    var to = new InetSocketAddress(Topology.SERVER, FarEnd.STREAM_PORT);
    CompletableFuture<PacedStream.Result> stream =
        topology.device.start(
            "stream", () -> PacedStream.run(to, PACKETS_PER_SECOND, going::get, nanoTime));
    var download = new TextDownload();
    String path = "/text?seed=%d&bytes=%d&rate=%d".formatted(SEED, BYTES, RATE_BIT_PER_SECOND);
    long start = nanoTime.getAsLong();
    CompletableFuture<TextDownload.Result> result =
        topology.device.start(
            "download", () -> download.run(Topology.SERVER, FarEnd.TEXT_PORT, path));
    while (download.received() < BYTES * 2 / 5 && !result.isDone()) {
      LockSupport.parkNanos(10_000_000);
    }
    topology.loseLinkA();
    narration.line(
        "link A is gone after %.1f MB; link B is what remains", download.received() / 1e6);
    middle.run();
    if (relayDies) {
      narration.line("its connections died with it: the download is made again on a new one");
      result =
          topology.device.start(
              "download-again",
              () -> new TextDownload().run(Topology.SERVER, FarEnd.TEXT_PORT, path));
    }
    finish(narration, result, start, relayDies ? "a new" : "the same");
    going.set(false);
    stream(narration, stream.orTimeout(20, TimeUnit.SECONDS).join());
  }

  private void finish(
      Narration narration,
      CompletableFuture<TextDownload.Result> pending,
      long start,
      String which) {
    try {
      TextDownload.Result result = pending.orTimeout(60, TimeUnit.SECONDS).join();
      double seconds = (nanoTime.getAsLong() - start) / 1e9;
      narration.hold(
          result.bytes() == BYTES,
          "%s TCP connection (port %d) finished: %.0f MB in %.1f s, %.0f Mbit/s",
          which,
          result.localPort(),
          result.bytes() / 1e6,
          seconds,
          result.bytes() * 8 / seconds / 1e6);
      narration.hold(
          result.sha256().equals(TextDownload.expected(SEED, BYTES)),
          "SHA-256 equal: %s…",
          result.sha256().substring(0, 16));
    } catch (RuntimeException e) {
      narration.hold(false, "the download finished on %s TCP connection: %s", which, e.getCause());
    }
  }

  private static void stream(Narration narration, PacedStream.Result stream) {
    narration.hold(
        stream.returned() > 0 && stream.gapNs() < GAP_LIMIT_NS,
        "UDP at %d packets/s, there and back: longest gap %.0f ms, lost %d of %d (%.2f %%)",
        PACKETS_PER_SECOND,
        stream.gapNs() / 1e6,
        stream.lost(),
        stream.sent(),
        100.0 * stream.lost() / Math.max(1, stream.sent()));
  }
}
