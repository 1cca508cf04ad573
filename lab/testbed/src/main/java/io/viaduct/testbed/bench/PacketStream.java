package io.viaduct.testbed.bench;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/// Sends UDP packets of 100 B of random payload from the device to the far end.
final class PacketStream {
  private static final int PORT = 7100;
  private static final int PAYLOAD = 100;
  private static final double SENDER_KEEPS_UP = 0.99;
  private static final long PAUSE_NS = 200_000;
  private static final long STRAGGLERS_NS = 300_000_000;

  private final BenchNetwork network;
  private final double seconds;
  private final LongSupplier nanoTime;

  /// Result of a stream.
  ///
  /// @param wanted packets according to the rate
  record Carried(long wanted, long sent, long arrived) {
    /// Returns true if the sender kept up and at most the given part is missing.
    boolean isComplete(double forgiven) {
      return sent >= wanted * SENDER_KEEPS_UP && arrived >= sent * (1 - forgiven);
    }
  }

  PacketStream(BenchNetwork network, double seconds, LongSupplier nanoTime) {
    this.network = network;
    this.seconds = seconds;
    this.nanoTime = nanoTime;
  }

  /// Sends at a constant rate, then waits for packets in flight.
  ///
  /// @param rate packets per second
  Carried run(String target, double rate) {
    var going = new AtomicBoolean(true);
    BurstSocket listening = network.far().call(() -> BurstSocket.on(PORT));
    CompletableFuture<Long> received =
        network.far().start("receiver", () -> receive(listening, going));
    long sent = network.device().call(() -> send(target, rate));
    LockSupport.parkNanos(STRAGGLERS_NS);
    going.set(false);
    long arrived = received.join();
    return new Carried((long) (rate * seconds), sent, arrived);
  }

  private static long receive(BurstSocket listening, AtomicBoolean going) {
    long count = 0;
    try (listening) {
      while (going.get()) {
        count += listening.receive();
      }
      return count;
    }
  }

  private long send(String target, double rate) {
    try (var socket = BurstSocket.to(target, PORT)) {
      socket.size(PAYLOAD);
      var random = new SplittableRandom(1);
      for (int i = 0; i < BurstSocket.BURST; i++) {
        for (int at = 0; at < PAYLOAD; at += Integer.BYTES) {
          socket.packet(i).set(JAVA_INT, at, random.nextInt());
        }
      }
      long startNs = nanoTime.getAsLong();
      long sent = 0;
      for (double at = 0; at < seconds; at = (nanoTime.getAsLong() - startNs) / 1e9) {
        long dueNumber = Math.min((long) (at * rate) + 1, (long) (seconds * rate));
        while (sent < dueNumber) {
          int count = (int) Math.min(BurstSocket.BURST, dueNumber - sent);
          number(socket, sent, count);
          socket.send(count);
          sent += count;
        }
        LockSupport.parkNanos(PAUSE_NS);
      }
      return sent;
    }
  }

  private static void number(BurstSocket socket, long first, int count) {
    for (int i = 0; i < count; i++) {
      MemorySegment packet = socket.packet(i);
      packet.set(JAVA_INT, 0, (int) (first + i));
    }
  }
}
