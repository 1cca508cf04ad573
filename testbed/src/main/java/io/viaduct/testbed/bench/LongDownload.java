package io.viaduct.testbed.bench;

import io.viaduct.testbed.traffic.TextDownload;
import io.viaduct.testbed.traffic.TextServer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/// Text from the far end on one TCP connection, without end, while the network under it changes;
/// and how long it got nothing. One thread watches.
final class LongDownload implements AutoCloseable {
  private static final int PORT = 80;
  private static final long PATIENCE_NS = 60_000_000_000L;

  private final Ground ground;
  private final String target;
  private final int rateBitPerSecond;
  private final LongSupplier nanoTime;
  private final TextDownload download = new TextDownload();
  private final CompletableFuture<TextDownload.Result> result;
  private long received;
  private long heardNs;
  private long silentNs;
  private long silentUntilNs;

  /// Starts the server and the download.
  LongDownload(
      Ground ground, String target, int rateBitPerSecond, long seed, LongSupplier nanoTime) {
    this.ground = ground;
    this.target = target;
    this.rateBitPerSecond = rateBitPerSecond;
    this.nanoTime = nanoTime;
    ground
        .far()
        .call(() -> {
          TextServer.start(target, PORT, nanoTime);
          return true;
        });
    result =
        ground
            .device()
            .start("download", () -> download.run(target, PORT, request(Long.MAX_VALUE, seed)));
  }

  private String request(long bytes, long seed) {
    return "/text?seed=%d&bytes=%d&rate=%d".formatted(seed, bytes, rateBitPerSecond);
  }

  String rate() {
    return "one TCP connection, %d Mbit/s".formatted(rateBitPerSecond / 1_000_000);
  }

  /// Silences count from now on.
  void watch(long nowNs) {
    received = download.received();
    heardNs = nowNs;
    silentNs = 0;
    silentUntilNs = nowNs;
  }

  /// Waits for so long, and looks whether anything has come since the last look.
  ///
  /// @throws IllegalStateException when the download has ended
  void look(long waitNs) {
    LockSupport.parkNanos(waitNs);
    if (result.isDone()) {
      throw new IllegalStateException("the download has ended: " + result);
    }
    long now = nanoTime.getAsLong();
    if (download.received() != received) {
      if (now - heardNs > silentNs) {
        silentNs = now - heardNs;
        silentUntilNs = now;
      }
      received = download.received();
      heardNs = now;
    }
  }

  /// The longest silence that has ended.
  double silentMs() {
    return silentNs / 1e6;
  }

  /// When it ended.
  long silentUntilNs() {
    return silentUntilNs;
  }

  /// Lets it run on.
  ///
  /// @throws IllegalStateException when nothing comes meanwhile
  void settle(long forNs) {
    long before = download.received();
    long end = nanoTime.getAsLong() + forNs;
    while (nanoTime.getAsLong() - end < 0) {
      look(1_000_000);
    }
    if (download.received() == before) {
      throw new IllegalStateException("the download does not go on");
    }
  }

  /// Fetches another text on a connection of its own.
  ///
  /// @return milliseconds
  double anotherMs(long bytes, long seed) {
    long begin = nanoTime.getAsLong();
    var another = new TextDownload();
    long got =
        await(
                ground
                    .device()
                    .start("another", () -> another.run(target, PORT, request(bytes, seed))))
            .bytes();
    if (got != bytes) {
      throw new IllegalStateException("a new download got %d bytes".formatted(got));
    }
    return (nanoTime.getAsLong() - begin) / 1e6;
  }

  /// Ends it.
  ///
  /// @return bytes that it got
  /// @throws IllegalStateException when its connection broke
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
