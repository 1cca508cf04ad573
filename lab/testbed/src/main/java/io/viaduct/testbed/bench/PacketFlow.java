package io.viaduct.testbed.bench;

import io.viaduct.testbed.topology.NetworkNamespace;
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
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/// A UDP flow between the device and the far end at a constant rate. Both ends are in this process,
/// so one clock times every packet. A packet is recognised by its content, without an added mark.
/// For a flow downwards the device sends requests until the first packet comes.
final class PacketFlow {
  private static final int TIMEOUT_MS = 50;
  private static final int RECEIVE_BYTES = 4 << 20;

  private final BenchNetwork network;
  private final int port;
  private final int payloadBytes;
  private final double packetsPerSecond;
  private final PayloadKind.Payloads payloads;
  private final LongConsumer arrivals;
  private final LongSupplier nanoTime;
  private volatile boolean stopped;
  private final Map<Long, Long> departuresNs = new ConcurrentHashMap<>();

  /// Result of a flow.
  ///
  /// @param delays in nanoseconds, of the packets that arrived
  /// @param outOfOrder packets that came after one that had left later (RFC 4737 section 3.3)
  record Result(long sent, Histogram delays, long outOfOrder, long strange) {
    long received() {
      return delays.getTotalCount();
    }
  }

  /// Time of a flow on its clock. Flows with the same period begin together.
  ///
  /// @param closeNs end of the reception, for packets that are still in flight at the end
  record Period(long beginNs, long endNs, long closeNs) {
    private static final long LEAD_NS = 50_000_000; // time to open the sockets of some flows

    static Period soon(long nowNs, double seconds, double stragglersSeconds) {
      long beginNs = nowNs + LEAD_NS;
      long endNs = beginNs + (long) (seconds * 1e9);
      return new Period(beginNs, endNs, endNs + (long) (stragglersSeconds * 1e9));
    }
  }

  /// Makes a flow of a class.
  ///
  /// @param rateBitPerSecond of IP packets
  /// @param arrivals receives the time of each arrival
  PacketFlow(
      BenchNetwork network,
      TrafficClass of,
      int index,
      double rateBitPerSecond,
      PayloadKind.Payloads payloads,
      LongConsumer arrivals,
      LongSupplier nanoTime) {
    this(
        network,
        of.firstPort + index,
        of.payloadBytes(),
        rateBitPerSecond / 8 / of.packetBytes,
        payloads,
        arrivals,
        nanoTime);
  }

  /// Makes a flow.
  ///
  /// @param arrivals receives the time of each arrival
  PacketFlow(
      BenchNetwork network,
      int port,
      int payloadBytes,
      double packetsPerSecond,
      PayloadKind.Payloads payloads,
      LongConsumer arrivals,
      LongSupplier nanoTime) {
    this.network = network;
    this.port = port;
    this.payloadBytes = payloadBytes;
    this.packetsPerSecond = packetsPerSecond;
    this.payloads = payloads;
    this.arrivals = arrivals;
    this.nanoTime = nanoTime;
  }

  /// Ends both directions before the end of the period.
  void stop() {
    stopped = true;
  }

  /// Sends in the period, then waits for packets in flight. Downwards the far end sends to the
  /// device that asks first, from the address that received the request: another source address
  /// would be another flow.
  CompletableFuture<Result> start(Way way, String target, Period period) {
    var far = new InetSocketAddress(target, port);
    boolean up = way == Way.UP;
    NetworkNamespace there = network.far(target);
    DatagramSocket farEnd = there.call(() -> open(up ? new InetSocketAddress(port) : far));
    DatagramSocket nearEnd = network.device().call(() -> open(new InetSocketAddress(0)));
    DatagramSocket receiver = up ? farEnd : nearEnd;
    var question = up ? null : new DatagramPacket(new byte[payloadBytes], payloadBytes, far);
    CompletableFuture<Result> received =
        (up ? there : network.device())
            .start("flow-" + port, () -> receive(receiver, question, period.closeNs));
    CompletableFuture<Long> sent =
        up
            ? network.device().start("flow-" + port, () -> send(nearEnd, far, period))
            : there.start("flow-" + port, () -> answer(farEnd, period));
    return sent.thenCombine(
            received,
            (count, result) ->
                new Result(count, result.delays(), result.outOfOrder(), result.strange()))
        .whenComplete((_, _) -> {
          farEnd.close();
          nearEnd.close();
        });
  }

  private static DatagramSocket open(InetSocketAddress own) throws IOException {
    var socket = new DatagramSocket(null);
    socket.setReceiveBufferSize(RECEIVE_BYTES);
    socket.bind(own);
    return socket;
  }

  /// Sends to the first requester.
  private long answer(DatagramSocket socket, Period period) throws IOException {
    socket.setSoTimeout((int) Math.max(1, (period.endNs - nanoTime.getAsLong()) / 1_000_000));
    var asked = new DatagramPacket(new byte[2048], 2048);
    try {
      socket.receive(asked);
    } catch (SocketTimeoutException e) {
      return 0;
    }
    return send(socket, asked.getSocketAddress(), period);
  }

  private long send(DatagramSocket socket, SocketAddress to, Period period) {
    var payload = new byte[payloadBytes];
    var packet = new DatagramPacket(payload, payloadBytes, to);
    long startNs = Math.max(period.beginNs, nanoTime.getAsLong());
    long sent = 0;
    while (true) {
      long dueNs = startNs + (long) (sent / packetsPerSecond * 1e9);
      if (dueNs - period.endNs >= 0 || stopped) {
        return sent;
      }
      for (long leftNs = dueNs - nanoTime.getAsLong();
          leftNs > 0;
          leftNs = dueNs - nanoTime.getAsLong()) {
        LockSupport.parkNanos(leftNs);
      }
      payloads.fill(payload);
      departuresNs.put(digest(payload, payloadBytes), nanoTime.getAsLong());
      sent++;
      send(socket, packet);
    }
  }

  private static void send(DatagramSocket socket, DatagramPacket packet) {
    try {
      socket.send(packet);
    } catch (IOException e) {
      // A full queue refused the packet: it is lost.
    }
  }

  /// Receives until the end.
  ///
  /// @param question repeated until the first packet comes; null: none
  private Result receive(DatagramSocket socket, @Nullable DatagramPacket question, long closeNs)
      throws IOException {
    var delays = new Histogram(3);
    long strange = 0;
    long outOfOrder = 0;
    long latestNs = Long.MIN_VALUE;
    socket.setSoTimeout(TIMEOUT_MS);
    if (question != null) {
      send(socket, question);
    }
    var packet = new DatagramPacket(new byte[2048], 2048);
    while (nanoTime.getAsLong() - closeNs < 0 && !stopped) {
      try {
        packet.setLength(2048);
        socket.receive(packet);
        Long departureNs = departuresNs.remove(digest(packet.getData(), packet.getLength()));
        if (departureNs == null) {
          strange++;
        } else {
          outOfOrder += departureNs < latestNs ? 1 : 0;
          latestNs = Math.max(latestNs, departureNs);
          long nowNs = nanoTime.getAsLong();
          delays.recordValue(Math.max(0, nowNs - departureNs));
          arrivals.accept(nowNs);
        }
      } catch (SocketTimeoutException e) {
        if (question != null && delays.getTotalCount() == 0) {
          send(socket, question);
        }
      }
    }
    return new Result(0, delays, outOfOrder, strange);
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
