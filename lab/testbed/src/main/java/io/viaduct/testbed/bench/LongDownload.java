package io.viaduct.testbed.bench;

import io.viaduct.testbed.demo.Retry;
import io.viaduct.testbed.traffic.TextDownload;
import io.viaduct.testbed.traffic.TextServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/// An endless download of text on one TCP connection while the network changes. It measures the
/// pauses of the download. One thread measures.
final class LongDownload implements AutoCloseable {
  private static final int PORT = 80;
  private static final Duration REACHED = Duration.ofSeconds(90);
  private static final long PATIENCE_NS = 60_000_000_000L;

  private final BenchNetwork network;
  private final String target;
  private final int rateBitPerSecond;
  private final LongSupplier nanoTime;
  private final TextDownload download = new TextDownload();
  private final CompletableFuture<TextDownload.Result> result;
  private long received;
  private long lastReceivedNs;
  private long silentNs;
  private long silentUntilNs;

  /// Starts the server and the download, by link A only: its gateway is what changes.
  LongDownload(
      BenchNetwork network, String target, int rateBitPerSecond, long seed, LongSupplier nanoTime) {
    this.network = network;
    this.target = target;
    this.rateBitPerSecond = rateBitPerSecond;
    this.nanoTime = nanoTime;
    network.lose("B");
    network
        .far()
        .call(() -> {
          TextServer.start(target, PORT, nanoTime);
          return true;
        });
    // The network may need a moment, and a billing that has just started answers late: a class that
    // fails closed is refused so long. So is an application while others have reserved all credit.
    network
        .device()
        .call(() ->
            new Retry(REACHED, nanoTime)
                .until(() -> new TextDownload().run(target, PORT, request(1_000, seed))));
    result =
        network
            .device()
            .start("download", () -> download.run(target, PORT, request(Long.MAX_VALUE, seed)));
  }

  private String request(long bytes, long seed) {
    return "/text?seed=%d&bytes=%d&rate=%d".formatted(seed, bytes, rateBitPerSecond);
  }

  String rate() {
    return "one TCP connection, %d Mbit/s".formatted(rateBitPerSecond / 1_000_000);
  }

  /// Returns the bytes that have arrived.
  long received() {
    return download.received();
  }

  /// Restarts the measurement of pauses.
  void watch(long nowNs) {
    received = download.received();
    lastReceivedNs = nowNs;
    silentNs = 0;
    silentUntilNs = nowNs;
  }

  /// Waits, then checks if bytes have come since the last check.
  ///
  /// @throws IllegalStateException when the download has ended
  void awaitBytes(long waitNs) {
    LockSupport.parkNanos(waitNs);
    if (result.isDone()) {
      throw new IllegalStateException("the download has ended: " + result);
    }
    long nowNs = nanoTime.getAsLong();
    if (download.received() != received) {
      if (nowNs - lastReceivedNs > silentNs) {
        silentNs = nowNs - lastReceivedNs;
        silentUntilNs = nowNs;
      }
      received = download.received();
      lastReceivedNs = nowNs;
    }
  }

  /// Returns the time at which [#awaitBytes] has seen the last bytes arrive.
  long lastReceivedNs() {
    return lastReceivedNs;
  }

  /// Returns the longest pause that has ended.
  double silentMs() {
    return silentNs / 1e6;
  }

  /// Returns the time at which the longest pause ended.
  long silentUntilNs() {
    return silentUntilNs;
  }

  /// Lets the download continue for a time.
  ///
  /// @throws IllegalStateException when no byte arrives in this time
  void settle(long forNs) {
    long before = download.received();
    long endNs = nanoTime.getAsLong() + forNs;
    while (nanoTime.getAsLong() - endNs < 0) {
      awaitBytes(1_000_000);
    }
    if (download.received() == before) {
      throw new IllegalStateException("the download does not go on");
    }
  }

  /// Downloads another text on a new connection.
  ///
  /// @return duration in milliseconds
  double anotherMs(long bytes, long seed) {
    long beginNs = nanoTime.getAsLong();
    var another = new TextDownload();
    long got =
        await(
                network
                    .device()
                    .start("another", () -> another.run(target, PORT, request(bytes, seed))))
            .bytes();
    if (got != bytes) {
      throw new IllegalStateException("a new download got %d bytes".formatted(got));
    }
    return (nanoTime.getAsLong() - beginNs) / 1e6;
  }

  /// Ends the download.
  ///
  /// @return received bytes
  /// @throws IllegalStateException when the connection broke
  long end() {
    download.stop();
    return await(result).bytes();
  }

  private static <T> T await(CompletableFuture<T> future) {
    try {
      return future.get(PATIENCE_NS, TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("the download failed: " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    download.stop();
  }
}
