package io.viaduct.testbed.traffic;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/// A UDP stream at a steady rate, numbered; the far end sends every packet back, so that one socket
/// sees the gaps of both directions.
public final class PacedStream {
  /// 20 ms of G.711, RFC 3551.
  public static final int VOICE_BYTES = 160;

  private static final long STRAGGLERS_NS = 500_000_000;

  private PacedStream() {}

  /// What came back.
  ///
  /// @param gapNs longest time between two arrivals
  public record Result(long sent, long returned, long gapNs) {
    public long lost() {
      return sent - returned;
    }
  }

  /// The far end: returns every packet to where it came from, until the process ends.
  public static void echo(String address, int port) throws IOException {
    try (var channel = DatagramChannel.open()) {
      channel.bind(new InetSocketAddress(address, port));
      var packet = ByteBuffer.allocate(2048);
      while (true) {
        var from = channel.receive(packet.clear());
        channel.send(packet.flip(), from);
      }
    } catch (ClosedByInterruptException e) {
      // the process ends
    }
  }

  /// Sends while `going`, then waits for stragglers.
  ///
  /// @param payload of each packet, 8 to 2048 bytes; the first eight are overwritten by its number
  /// @param packetsPerSecond what is due after a pause is sent together
  public static Result run(
      InetSocketAddress to,
      byte[] payload,
      int packetsPerSecond,
      BooleanSupplier going,
      LongSupplier nanoTime)
      throws IOException {
    long intervalNs = 1_000_000_000L / packetsPerSecond;
    try (var channel = DatagramChannel.open()) {
      channel.setOption(StandardSocketOptions.SO_RCVBUF, 1 << 20);
      channel.connect(to);
      channel.configureBlocking(false);
      var seen = new Arrivals();
      var packet = ByteBuffer.wrap(payload.clone());
      long sent = 0;
      long due = nanoTime.getAsLong();
      long end = Long.MAX_VALUE;
      while (nanoTime.getAsLong() - end < 0 || end == Long.MAX_VALUE) {
        long now = nanoTime.getAsLong();
        if (end == Long.MAX_VALUE && !going.getAsBoolean()) {
          end = now + STRAGGLERS_NS;
        }
        while (end == Long.MAX_VALUE && now - due >= 0) {
          send(channel, packet.clear().putLong(0, sent));
          sent++;
          due += intervalNs;
        }
        seen.drain(channel, nanoTime);
        LockSupport.parkNanos(500_000);
      }
      return new Result(sent, seen.count, seen.gapNs);
    }
  }

  private static void send(DatagramChannel channel, ByteBuffer packet) {
    try {
      channel.write(packet);
    } catch (IOException e) {
      // no route or refused for this moment: the packet counts as lost
    }
  }

  private static final class Arrivals {
    private final ByteBuffer packet = ByteBuffer.allocate(2048);
    private final java.util.BitSet numbers = new java.util.BitSet();
    private long count;
    private long gapNs;
    private long lastNs;

    private void drain(DatagramChannel channel, LongSupplier nanoTime) {
      try {
        while (channel.read(packet.clear()) > 0) {
          int number = (int) packet.getLong(0);
          if (numbers.get(number)) {
            continue; // duplicated on the way
          }
          numbers.set(number);
          long now = nanoTime.getAsLong();
          gapNs = count == 0 ? 0 : Math.max(gapNs, now - lastNs);
          lastNs = now;
          count++;
        }
      } catch (IOException e) {
        // an ICMP error of an earlier packet: nothing to read now
      }
    }
  }
}
