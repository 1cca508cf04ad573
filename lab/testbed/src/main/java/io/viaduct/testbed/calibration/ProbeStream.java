package io.viaduct.testbed.calibration;

import io.viaduct.testbed.libc.PreciseThread;
import io.viaduct.testbed.topology.NetworkNamespace;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/// A paced stream of UDP packets from one namespace to another. Both ends are threads of this
/// process with one clock, so delays are one-way. They run as precise threads, so that the
/// measurement does not measure itself.
final class ProbeStream {
  private static final int SILENCE_MS = 1_000; // longer than the longest delay that is measured
  private static final int HEADER_BYTES = 42; // UDP, IPv4 and Ethernet
  private static final int BUFFER_BYTES = 4 << 20; // the kernel grants what it allows

  private final NetworkNamespace from;
  private final NetworkNamespace to;
  private final String target;
  private final int bytes;
  private final double perSecond;
  private final LongSupplier nanoTime;

  /// @param target address in `to`
  /// @param bytes of an Ethernet frame
  ProbeStream(
      NetworkNamespace from,
      NetworkNamespace to,
      String target,
      int bytes,
      double perSecond,
      LongSupplier nanoTime) {
    this.from = from;
    this.to = to;
    this.target = target;
    this.bytes = bytes;
    this.perSecond = perSecond;
    this.nanoTime = nanoTime;
  }

  /// The packets that arrived.
  ///
  /// @param delaysNs sorted
  record Arrived(int sent, long[] delaysNs, long firstNs, long lastNs, int frameBytes) {
    double delayMs(double quantile) {
      return delaysNs.length == 0
          ? Double.NaN
          : delaysNs[(int) Math.min(delaysNs.length - 1, quantile * delaysNs.length)] / 1e6;
    }

    /// Returns the rate of Ethernet frames from the first to the last.
    double mbitPerSecond() {
      return (delaysNs.length - 1) * (double) frameBytes * 8e3 / (lastNs - firstNs);
    }

    int lost() {
      return sent - delaysNs.length;
    }
  }

  /// Runs the stream; the result is complete a second after the last packet.
  CompletableFuture<Arrived> start(double seconds) {
    int count = (int) (perSecond * seconds);
    var socket = to.call(() -> new DatagramSocket(new InetSocketAddress(target, 0)));
    var ready = new CompletableFuture<Void>();
    var arrived = to.start("probes", () -> receive(socket, count, ready));
    ready.join(); // the first packets must not wait for their reader
    var sent = from.start("probes", () -> send(socket.getLocalPort(), count));
    return sent.thenCombine(arrived, (nothing, result) -> result);
  }

  /// Runs the stream for as long as another measurement; nobody reads it.
  CompletableFuture<Void> load(double seconds) {
    var socket = to.call(() -> new DatagramSocket(new InetSocketAddress(target, 0)));
    return from.start("load", () -> send(socket.getLocalPort(), (int) (perSecond * seconds)))
        .whenComplete((nothing, failure) -> socket.close());
  }

  private Void send(int port, int count) throws IOException {
    PreciseThread.become();
    try (DatagramChannel channel = DatagramChannel.open()) {
      channel.connect(new InetSocketAddress(target, port));
      ByteBuffer packet = ByteBuffer.allocateDirect(bytes - HEADER_BYTES);
      double gapNs = 1e9 / perSecond;
      long startNs = nanoTime.getAsLong();
      for (int number = 0; number < count; number++) {
        long wait = startNs + (long) (number * gapNs) - nanoTime.getAsLong();
        if (wait > 0) {
          LockSupport.parkNanos(wait);
        }
        packet.clear().putLong(0, nanoTime.getAsLong());
        channel.write(packet);
      }
    } catch (PortUnreachableException e) {
      return null; // the receiver has ended
    }
    return null;
  }

  private Arrived receive(DatagramSocket socket, int count, CompletableFuture<Void> ready)
      throws IOException {
    PreciseThread.become();
    try (socket) {
      socket.setReceiveBufferSize(BUFFER_BYTES);
      socket.setSoTimeout(SILENCE_MS);
      var delays = new long[count];
      var buffer = new byte[bytes];
      var packet = new DatagramPacket(buffer, buffer.length);
      int size = 0;
      long firstNs = 0;
      ready.complete(null);
      long lastNs = 0;
      try {
        while (size < count) {
          packet.setLength(buffer.length);
          socket.receive(packet);
          lastNs = nanoTime.getAsLong();
          firstNs = size == 0 ? lastNs : firstNs;
          delays[size++] = lastNs - ByteBuffer.wrap(buffer).getLong();
        }
      } catch (SocketTimeoutException e) {
        // the rest is lost
      }
      long[] sorted = Arrays.copyOf(delays, size);
      Arrays.sort(sorted);
      return new Arrived(count, sorted, firstNs, lastNs, bytes);
    }
  }
}
