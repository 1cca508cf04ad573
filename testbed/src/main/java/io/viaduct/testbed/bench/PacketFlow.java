package io.viaduct.testbed.bench;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;
import org.HdrHistogram.Histogram;

/// A UDP flow from the device to the far end at a steady rate. Both ends are in this process, so
/// one clock times every packet, and a packet is known by its content: no byte of it is ours.
final class PacketFlow {
  private static final int TIMEOUT_MS = 50;

  private final Ground ground;
  private final int port;
  private final int payloadBytes;
  private final double packetsPerSecond;
  private final PayloadKind.Payloads payloads;
  private final LongSupplier nanoTime;
  private final Map<Long, Long> departures = new ConcurrentHashMap<>();

  /// @param delays in nanoseconds, of the packets that arrived
  record Result(long sent, Histogram delays, long strange) {
    long received() {
      return delays.getTotalCount();
    }
  }

  /// @param rateBitPerSecond of IP packets
  PacketFlow(
      Ground ground,
      TrafficClass of,
      int index,
      double rateBitPerSecond,
      PayloadKind.Payloads payloads,
      LongSupplier nanoTime) {
    this.ground = ground;
    this.port = of.firstPort + index;
    this.payloadBytes = of.payloadBytes();
    this.packetsPerSecond = rateBitPerSecond / 8 / of.packetBytes;
    this.payloads = payloads;
    this.nanoTime = nanoTime;
  }

  /// Sends for so long, and then waits for what is still on its way.
  CompletableFuture<Result> start(String target, double seconds, double stragglersSeconds) {
    long end = nanoTime.getAsLong() + (long) (seconds * 1e9);
    long close = end + (long) (stragglersSeconds * 1e9);
    var listening = new CompletableFuture<Void>();
    CompletableFuture<Result> received =
        ground.far().start("flow-" + port, () -> receive(close, listening));
    listening.join();
    CompletableFuture<Long> sent = ground.device().start("flow-" + port, () -> send(target, end));
    return sent.thenCombine(
        received, (count, result) -> new Result(count, result.delays(), result.strange()));
  }

  private long send(String target, long end) throws IOException {
    try (var socket = new DatagramSocket()) {
      var payload = new byte[payloadBytes];
      var packet = new DatagramPacket(payload, payloadBytes, new InetSocketAddress(target, port));
      long start = nanoTime.getAsLong();
      long sent = 0;
      while (true) {
        long due = start + (long) (sent / packetsPerSecond * 1e9);
        if (due - end >= 0) {
          return sent;
        }
        for (long left = due - nanoTime.getAsLong(); left > 0; left = due - nanoTime.getAsLong()) {
          LockSupport.parkNanos(left);
        }
        payloads.fill(payload);
        departures.put(digest(payload, payloadBytes), nanoTime.getAsLong());
        sent++;
        send(socket, packet);
      }
    }
  }

  private static void send(DatagramSocket socket, DatagramPacket packet) {
    try {
      socket.send(packet);
    } catch (IOException e) {
      // refused by a full queue: lost
    }
  }

  private Result receive(long close, CompletableFuture<Void> listening) throws IOException {
    var delays = new Histogram(3);
    long strange = 0;
    try (var socket = new DatagramSocket(null)) {
      socket.setReceiveBufferSize(4 << 20);
      socket.bind(new InetSocketAddress(port));
      socket.setSoTimeout(TIMEOUT_MS);
      listening.complete(null);
      var packet = new DatagramPacket(new byte[2048], 2048);
      while (nanoTime.getAsLong() - close < 0) {
        try {
          packet.setLength(2048);
          socket.receive(packet);
          Long departure = departures.remove(digest(packet.getData(), packet.getLength()));
          if (departure == null) {
            strange++;
          } else {
            delays.recordValue(Math.max(0, nanoTime.getAsLong() - departure));
          }
        } catch (SocketTimeoutException e) {
          // look at the clock
        }
      }
      return new Result(0, delays, strange);
    } catch (IOException e) {
      listening.completeExceptionally(e);
      throw e;
    }
  }

  private static long digest(byte[] bytes, int length) {
    var crc = new CRC32C();
    crc.update(bytes, 0, length);
    long hash = 0;
    for (int i = 0; i < length; i++) {
      hash = hash * 31 + bytes[i];
    }
    return crc.getValue() << 32 ^ hash;
  }
}
