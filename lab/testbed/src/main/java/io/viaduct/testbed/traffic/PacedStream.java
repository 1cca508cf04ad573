package io.viaduct.testbed.traffic;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/// A numbered UDP stream at a constant rate. The far end returns every packet, so that one socket
/// sees the gaps of both directions.
public final class PacedStream {
  /// Payload of 20 ms of G.711 (RFC 3551).
  public static final int VOICE_BYTES = 160;

  private static final long STRAGGLERS_NS = 500_000_000;

  private PacedStream() {}

  /// Result of a stream, or of a part of it.
  ///
  /// @param gapNs longest time between two arrivals
  public record Result(long sent, long returned, long gapNs) {
    public long lost() {
      return sent - returned;
    }
  }

  /// Serves the far end: returns every packet to its sender until the process ends.
  public static void echo(String address, int port) throws IOException {
    try (var channel = DatagramChannel.open()) {
      channel.bind(new InetSocketAddress(address, port));
      var packet = ByteBuffer.allocate(2048);
      while (true) {
        var from = channel.receive(packet.clear());
        channel.send(packet.flip(), from);
      }
    } catch (ClosedByInterruptException e) {
      // The process ends.
    }
  }

  /// Sends while `going` is true, then waits for packets in flight.
  ///
  /// @param payload of each packet, 8 to 2048 bytes; its number overwrites the first eight
  /// @param packetsPerSecond packets that are due after a pause are sent together
  public static Result run(
      InetSocketAddress to,
      byte[] payload,
      int packetsPerSecond,
      BooleanSupplier going,
      LongSupplier nanoTime)
      throws IOException {
    return run(to, payload, packetsPerSecond, 1, () -> going.getAsBoolean() ? 0 : 1, nanoTime)
        .getFirst();
  }

  /// Sends a stream of several parts, then waits for packets in flight. A packet belongs to the
  /// part in which it was sent, and a gap to the part in which it ended.
  ///
  /// @param parts number of the parts
  /// @param part returns the number of the present part, which never falls; `parts` at the end
  /// @return the result of each part
  public static List<Result> run(
      InetSocketAddress to,
      byte[] payload,
      int packetsPerSecond,
      int parts,
      IntSupplier part,
      LongSupplier nanoTime)
      throws IOException {
    long intervalNs = 1_000_000_000L / packetsPerSecond;
    try (var channel = DatagramChannel.open()) {
      channel.setOption(StandardSocketOptions.SO_RCVBUF, 1 << 20);
      channel.connect(to);
      channel.configureBlocking(false);
      var seen = new Arrivals(parts);
      var packet = ByteBuffer.wrap(payload.clone());
      long sent = 0;
      long dueNs = nanoTime.getAsLong();
      long endNs = Long.MAX_VALUE;
      while (nanoTime.getAsLong() - endNs < 0 || endNs == Long.MAX_VALUE) {
        long nowNs = nanoTime.getAsLong();
        int present = part.getAsInt();
        if (endNs == Long.MAX_VALUE && present == parts) {
          endNs = nowNs + STRAGGLERS_NS;
        }
        seen.part(present, sent);
        while (endNs == Long.MAX_VALUE && nowNs - dueNs >= 0) {
          send(channel, packet.clear().putLong(0, sent));
          sent++;
          dueNs += intervalNs;
        }
        seen.drain(channel, nanoTime);
        LockSupport.parkNanos(500_000);
      }
      return seen.results(sent);
    }
  }

  private static void send(DatagramChannel channel, ByteBuffer packet) {
    try {
      channel.write(packet);
    } catch (IOException e) {
      // There is no route now, or the packet was refused: it counts as lost.
    }
  }

  private static final class Arrivals {
    private final ByteBuffer packet = ByteBuffer.allocate(2048);
    private final BitSet numbers = new BitSet();
    private final long[] firsts; // number of the first packet of each part
    private final long[] gapsNs;
    private int part;
    private boolean hasCome;
    private long lastNs;

    Arrivals(int parts) {
      firsts = new long[parts];
      gapsNs = new long[parts];
    }

    /// Begins a part with the packet of this number, if another one is present.
    private void part(int present, long number) {
      while (part < Math.min(present, firsts.length - 1)) {
        part++;
        firsts[part] = number;
      }
    }

    private void drain(DatagramChannel channel, LongSupplier nanoTime) {
      try {
        while (channel.read(packet.clear()) > 0) {
          int number = (int) packet.getLong(0);
          if (numbers.get(number)) {
            continue; // duplicated on the path
          }
          numbers.set(number);
          long nowNs = nanoTime.getAsLong();
          if (hasCome) {
            gapsNs[part] = Math.max(gapsNs[part], nowNs - lastNs);
          }
          lastNs = nowNs;
          hasCome = true;
        }
      } catch (IOException e) {
        // This is an ICMP error of an earlier packet: there is nothing to read now.
      }
    }

    private List<Result> results(long sent) {
      List<Result> results = new ArrayList<>();
      for (int each = 0; each < firsts.length; each++) {
        long end = each + 1 < firsts.length ? Math.max(firsts[each], firsts[each + 1]) : sent;
        long returned = numbers.get((int) firsts[each], (int) end).cardinality();
        results.add(new Result(end - firsts[each], returned, gapsNs[each]));
      }
      return results;
    }
  }
}
