package io.viaduct.testbed.chaos;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.BitSet;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/// A UDP flow from the device whose every packet is counted. While nothing comes back, it sends
/// only a few packets, so that few are lost and the count stays sharp.
final class CountedFlow {
  private static final long SILENT_NS = 300_000_000;
  private static final long TRY_NS = 250_000_000;
  private static final long POLL_NS = 500_000;

  private final InetSocketAddress to;
  private final int payloadBytes;
  private final long intervalNs;
  private final LongSupplier nanoTime;
  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong heard = new AtomicLong();
  private volatile long lastHeardNs;
  private volatile boolean isPaused;

  /// @param payloadBytes of each packet, random, so that nothing is compressed
  CountedFlow(InetSocketAddress to, int payloadBytes, int packetsPerSecond, LongSupplier nanoTime) {
    this.to = to;
    this.payloadBytes = payloadBytes;
    this.intervalNs = 1_000_000_000L / packetsPerSecond;
    this.nanoTime = nanoTime;
    this.lastHeardNs = nanoTime.getAsLong();
  }

  /// Sends and receives until the process ends. The thread must be in the device's namespace. The
  /// socket is not connected, so that it has the source address of the present route.
  void run() throws IOException {
    var payload = new byte[payloadBytes];
    new Random(payloadBytes).nextBytes(payload);
    try (var channel = DatagramChannel.open()) {
      channel.setOption(StandardSocketOptions.SO_RCVBUF, 1 << 20);
      channel.bind(new InetSocketAddress("0.0.0.0", 0));
      channel.configureBlocking(false);
      var out = ByteBuffer.wrap(payload);
      var in = ByteBuffer.allocate(2 * payloadBytes);
      var numbers = new BitSet();
      long dueNs = nanoTime.getAsLong();
      while (true) {
        hear(channel, in, numbers);
        long nowNs = nanoTime.getAsLong();
        if (!isPaused && nowNs - dueNs >= 0) {
          send(channel, out.clear());
          boolean isSilent = nowNs - lastHeardNs > SILENT_NS;
          dueNs = Math.max(dueNs, nowNs - intervalNs) + (isSilent ? TRY_NS : intervalNs);
        }
        LockSupport.parkNanos(POLL_NS);
      }
    }
  }

  private void send(DatagramChannel channel, ByteBuffer packet) {
    long number = sent.getAndIncrement();
    try {
      channel.send(packet.putLong(0, number).put(CountedEcho.WAY, (byte) 0), to);
    } catch (IOException e) {
      // No route now, or a refusal: it counts as sent, which only loosens the upper bound.
    }
  }

  private void hear(DatagramChannel channel, ByteBuffer in, BitSet numbers) {
    try {
      while (channel.receive(in.clear()) != null) {
        int number = Math.toIntExact(in.flip().getLong(0));
        if (in.get(CountedEcho.WAY) == CountedEcho.THROUGH_TUNNEL && !numbers.get(number)) {
          numbers.set(number);
          heard.incrementAndGet();
          lastHeardNs = nanoTime.getAsLong();
        }
      }
    } catch (IOException e) {
      // An ICMP error of an earlier packet: there is nothing to read now.
    }
  }

  /// Stops sending, or goes on.
  void pause(boolean paused) {
    isPaused = paused;
  }

  /// Returns the packets that the application has given to its socket.
  long sent() {
    return sent.get();
  }

  /// Returns the packets that came back through the tunnel, each once.
  long heard() {
    return heard.get();
  }

  /// Returns the time at which the newest packet came back through the tunnel.
  long lastHeardNs() {
    return lastHeardNs;
  }
}
