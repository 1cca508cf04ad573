package io.viaduct.testbed.bench;

import io.viaduct.testbed.libc.PreciseThread;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/// A stream of numbered messages in both directions at a constant rate; neither end answers the
/// other one. Both ends are threads of this process with one clock.
final class TwoWayStream implements AutoCloseable {
  /// Messages per second in each direction.
  static final int PER_SECOND = 1_000;

  private static final int SECONDS_MAX = 120;
  private static final int CONTENT = 8; // behind the number

  private final StreamEnd near;
  private final StreamEnd far;
  private final boolean isAsking;
  private final LongSupplier nanoTime;
  private final PacketTrack up = new PacketTrack(SECONDS_MAX * PER_SECOND);
  private final PacketTrack down = new PacketTrack(SECONDS_MAX * PER_SECOND);
  private final CompletableFuture<Void> ended;
  private volatile boolean isStopped;

  /// Starts the stream.
  ///
  /// @param onlyDown the device sends until its first message has come, and then only receives
  /// @param seed of the incompressible content
  TwoWayStream(
      BenchNetwork network,
      StreamEnd near,
      StreamEnd far,
      boolean onlyDown,
      long seed,
      LongSupplier nanoTime) {
    this.near = near;
    this.far = far;
    this.isAsking = onlyDown;
    this.nanoTime = nanoTime;
    List<CompletableFuture<Void>> threads =
        List.of(
            network
                .device()
                .start("stream-up", () -> send(near, up, new SplittableRandom(2 * seed))),
            network
                .far()
                .start("stream-down", () -> send(far, down, new SplittableRandom(2 * seed + 1))),
            network.device().start("stream-in", () -> receive(near, down)),
            network.far().start("stream-in", () -> receive(far, up)));
    ended = CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new));
  }

  private Void send(StreamEnd end, PacketTrack track, SplittableRandom content) {
    PreciseThread.become();
    var message = new byte[StreamEnd.BYTES];
    var fields = ByteBuffer.wrap(message);
    long dueNs = nanoTime.getAsLong();
    while (!isStopped && !track.isFull()) {
      long waitNs = dueNs - nanoTime.getAsLong();
      if (waitNs > 0) {
        LockSupport.parkNanos(waitNs);
        continue;
      }
      if (!end.isReady() || (isAsking && end == near && down.arrived() > 0)) {
        dueNs += 1_000_000_000L / PER_SECOND;
        continue;
      }
      for (int at = CONTENT; at + Long.BYTES <= message.length; at += Long.BYTES) {
        fields.putLong(at, content.nextLong()); // so that no message resembles another one
      }
      long nowNs = nanoTime.getAsLong();
      fields.putLong(0, track.next());
      track.onSent(nowNs);
      end.send(message);
      dueNs += 1_000_000_000L / PER_SECOND;
    }
    return null;
  }

  private Void receive(StreamEnd end, PacketTrack track) {
    PreciseThread.become();
    var message = new byte[StreamEnd.BYTES];
    var fields = ByteBuffer.wrap(message);
    while (!isStopped) {
      if (end.receive(message)) {
        track.onArrival((int) fields.getLong(0), nanoTime.getAsLong());
      }
    }
    return null;
  }

  PacketTrack up() {
    return up;
  }

  PacketTrack down() {
    return down;
  }

  /// Throws what has ended a thread, if one has ended.
  void check() {
    if (ended.isCompletedExceptionally()) {
      ended.join();
    }
  }

  /// Ends all threads.
  @Override
  public void close() {
    isStopped = true;
    near.stop();
    far.stop();
    try {
      ended.join();
    } finally {
      near.close();
      far.close();
    }
  }
}
