package io.viaduct.testbed.bench;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.viaduct.testbed.bench.Goal.OfBest;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/// The highest rate of UDP packets of 100 B payload that arrives without loss (RFC 2544, section
/// 26.1, with one packet in a thousand forgiven because of what else the machine does): doubled
/// until packets are lost, then bisected.
final class PacketRate implements Measure {
  private static final int PORT = 7100;
  private static final int PAYLOAD = 100;
  private static final double FORGIVEN = 0.001;
  private static final double FIRST_RATE = 5_000;
  private static final double TOP_RATE = 2_000_000;
  private static final int BISECTIONS = 5;
  private static final int TRIES = 2;
  private static final long PAUSE_NS = 200_000;
  private static final long STRAGGLERS_NS = 300_000_000;

  private static final Row RATE =
      Row.more("packets", "100 B packets without loss", "1/s", 0, new OfBest(1.5));

  private final Ground ground;
  private final double seconds;
  private final LongSupplier nanoTime;
  private final Map<String, Double> reached = new HashMap<>();

  PacketRate(Ground ground, double seconds, LongSupplier nanoTime) {
    this.ground = ground;
    this.seconds = seconds;
    this.nanoTime = nanoTime;
  }

  @Override
  public String name() {
    return "packets";
  }

  @Override
  public List<Row> rows() {
    return List.of(RATE);
  }

  @Override
  public void run(Peer peer, Recorder recorder) {
    double low = 0;
    double high = Math.max(FIRST_RATE, reached.getOrDefault(peer.name(), 0.0) / 2);
    while (high < TOP_RATE && passes(peer, high)) {
      low = high;
      high *= 2;
    }
    for (int i = 0; i < BISECTIONS; i++) {
      double middle = low == 0 ? high / 2 : Math.sqrt(low * high);
      if (passes(peer, middle)) {
        low = middle;
      } else {
        high = middle;
      }
    }
    reached.put(peer.name(), low);
    recorder.record(RATE, low);
  }

  /// More than one try: what else runs on the machine may spoil it.
  private boolean passes(Peer peer, double rate) {
    boolean passed = false;
    for (int i = 0; i < TRIES && !passed; i++) {
      passed = once(peer, rate);
    }
    return passed;
  }

  private boolean once(Peer peer, double rate) {
    var going = new AtomicBoolean(true);
    var listening = new CompletableFuture<Void>();
    CompletableFuture<Long> received =
        ground.far().start("receiver", () -> receive(going, listening));
    var unused = received.whenComplete((count, failure) -> listening.complete(null)); // it may fail
    listening.join();
    long sent = ground.device().call(() -> send(peer.target(), rate));
    LockSupport.parkNanos(STRAGGLERS_NS);
    going.set(false);
    long arrived = received.join();
    return sent >= rate * seconds * 0.99 && arrived >= sent * (1 - FORGIVEN);
  }

  private long receive(AtomicBoolean going, CompletableFuture<Void> listening) {
    long count = 0;
    try (var socket = BurstSocket.on(PORT)) {
      listening.complete(null);
      while (going.get()) {
        count += socket.receive();
      }
      return count;
    }
  }

  private long send(String target, double rate) {
    try (var socket = BurstSocket.to(new InetSocketAddress(target, PORT))) {
      socket.size(PAYLOAD);
      var random = new SplittableRandom(1);
      for (int i = 0; i < BurstSocket.BURST; i++) {
        for (int at = 0; at < PAYLOAD; at += Integer.BYTES) {
          socket.packet(i).set(JAVA_INT, at, random.nextInt());
        }
      }
      long start = nanoTime.getAsLong();
      long sent = 0;
      for (double at = 0; at < seconds; at = (nanoTime.getAsLong() - start) / 1e9) {
        long due = Math.min((long) (at * rate) + 1, (long) (seconds * rate));
        while (sent < due) {
          int count = (int) Math.min(BurstSocket.BURST, due - sent);
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
