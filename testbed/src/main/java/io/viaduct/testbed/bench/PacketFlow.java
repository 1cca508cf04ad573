package io.viaduct.testbed.bench;

import io.viaduct.testbed.traffic.Way;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/// A UDP flow between the device and the far end at a steady rate. Both ends are in this process,
/// so one clock times every packet, and a packet is known by its content: no byte of it is ours. A
/// flow downwards begins with packets of the device that ask for it, until the first one comes.
final class PacketFlow {
  private static final int TIMEOUT_MS = 50;
  private static final int RECEIVE_BYTES = 4 << 20;

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

  /// When a flow is, on the clock of the flow; several of the same begin together.
  ///
  /// @param closeNs until when packets may be on their way
  record Period(long beginNs, long endNs, long closeNs) {
    private static final long LEAD_NS = 50_000_000; // until the sockets of some flows are open

    static Period soon(long nowNs, double seconds, double stragglersSeconds) {
      long begin = nowNs + LEAD_NS;
      long end = begin + (long) (seconds * 1e9);
      return new Period(begin, end, end + (long) (stragglersSeconds * 1e9));
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

  /// Sends in the period, and then waits for what is still on its way.
  CompletableFuture<Result> start(Way way, String target, Period period) {
    var listening = new CompletableFuture<Void>();
    var far = new InetSocketAddress(target, port);
    CompletableFuture<Result> received;
    CompletableFuture<Long> sent;
    if (way == Way.UP) {
      received = ground.far().start("flow-" + port, () -> listen(period.closeNs, listening));
      listening.join();
      sent = ground.device().start("flow-" + port, () -> send(far, period));
    } else {
      sent = ground.far().start("flow-" + port, () -> serve(far, period, listening));
      listening.join();
      received = ground.device().start("flow-" + port, () -> ask(far, period.closeNs));
    }
    return sent.thenCombine(
        received, (count, result) -> new Result(count, result.delays(), result.strange()));
  }

  private long send(SocketAddress to, Period period) throws IOException {
    try (var socket = new DatagramSocket()) {
      return send(socket, to, period);
    }
  }

  /// Sends to whoever asks, from the address that was asked: another one would be another flow.
  private long serve(InetSocketAddress own, Period period, CompletableFuture<Void> listening)
      throws IOException {
    try (var socket = new DatagramSocket(own)) {
      socket.setSoTimeout((int) Math.max(1, (period.endNs - nanoTime.getAsLong()) / 1_000_000));
      listening.complete(null);
      var asked = new DatagramPacket(new byte[2048], 2048);
      socket.receive(asked);
      return send(socket, asked.getSocketAddress(), period);
    } catch (SocketTimeoutException e) {
      return 0;
    } catch (IOException e) {
      listening.completeExceptionally(e);
      throw e;
    }
  }

  private long send(DatagramSocket socket, SocketAddress to, Period period) {
    var payload = new byte[payloadBytes];
    var packet = new DatagramPacket(payload, payloadBytes, to);
    long start = Math.max(period.beginNs, nanoTime.getAsLong());
    long sent = 0;
    while (true) {
      long due = start + (long) (sent / packetsPerSecond * 1e9);
      if (due - period.endNs >= 0) {
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

  private static void send(DatagramSocket socket, DatagramPacket packet) {
    try {
      socket.send(packet);
    } catch (IOException e) {
      // refused by a full queue: lost
    }
  }

  private Result listen(long close, CompletableFuture<Void> listening) throws IOException {
    try (var socket = new DatagramSocket(null)) {
      socket.setReceiveBufferSize(RECEIVE_BYTES);
      socket.bind(new InetSocketAddress(port));
      listening.complete(null);
      return receive(socket, null, close);
    } catch (IOException e) {
      listening.completeExceptionally(e);
      throw e;
    }
  }

  private Result ask(InetSocketAddress far, long close) throws IOException {
    try (var socket = new DatagramSocket()) {
      socket.setReceiveBufferSize(RECEIVE_BYTES);
      var question = new DatagramPacket(new byte[payloadBytes], payloadBytes, far);
      send(socket, question);
      return receive(socket, question, close);
    }
  }

  /// @param question sent again while nothing comes; null: none
  private Result receive(DatagramSocket socket, @Nullable DatagramPacket question, long close)
      throws IOException {
    var delays = new Histogram(3);
    long strange = 0;
    socket.setSoTimeout(TIMEOUT_MS);
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
        if (question != null && delays.getTotalCount() == 0) {
          send(socket, question);
        }
      }
    }
    return new Result(0, delays, strange);
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
