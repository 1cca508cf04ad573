package io.viaduct.testbed.sessions;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEventLoop;
import io.viaduct.testbed.topology.PortBytes;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/// Sends bursts from many devices in turn for some seconds. A window over all packets in flight
/// keeps the SNAPT's receive buffers from filling: new packets follow as fast as packets leave the
/// SNAPT. Runs on the generator's data loop.
final class Flood {
  static final String OUT = "snapt0";
  private static final int BURST = 32;
  private static final int DEVICES_PER_ROUND = 4;
  private static final int WINDOW = 1024; // packets, 1.4 MB of datagrams
  private static final long CLOSED_NS = 50_000;

  // A window that stays closed for this time is full of lost packets.
  private static final long LOST_NS = 5_000_000;

  private final IoEventLoop loop;
  private final List<Device> devices;
  private final int sessions;
  private final double seconds;
  private final LongSupplier nanoTime;
  private final ByteBuf packet = Packets.one(1);
  private final CompletableFuture<Sent> ended = new CompletableFuture<>();
  private long before;
  private long beginNs;
  private long sent;
  private long lost;
  private long arrived;
  private long arrivedNs;
  private int turn;

  /// Result of a flood.
  ///
  /// @param packets that the generator has sent
  /// @param arrived packets that came out of the SNAPT
  record Sent(long packets, long arrived, double seconds) {
    double mbitPerSecond() {
      return arrived * Packets.BYTES * 8 / seconds / 1e6;
    }
  }

  Flood(
      IoEventLoop loop, List<Device> devices, int sessions, double seconds, LongSupplier nanoTime) {
    this.loop = loop;
    this.devices = devices;
    this.sessions = sessions;
    this.seconds = seconds;
    this.nanoTime = nanoTime;
  }

  CompletableFuture<Sent> ended() {
    return ended;
  }

  void begin() {
    try {
      before = PortBytes.received(OUT);
      beginNs = nanoTime.getAsLong();
      arrivedNs = beginNs;
      round();
    } catch (IOException | RuntimeException e) {
      end(e);
    }
  }

  private void round() {
    try {
      long nowNs = nanoTime.getAsLong();
      countArrived(nowNs);
      if (nowNs - beginNs >= seconds * 1e9) {
        packet.release();
        ended.complete(new Sent(sent, arrived, (nowNs - beginNs) / 1e9));
      } else if (sent - lost - arrived >= WINDOW) {
        var unused = loop.schedule(this::round, CLOSED_NS, TimeUnit.NANOSECONDS);
      } else {
        for (int i = 0; i < DEVICES_PER_ROUND; i++) {
          turn = turn + 1 < sessions ? turn + 1 : 0;
          sent += devices.get(turn).send(packet, BURST, nowNs);
        }
        loop.execute(this::round);
      }
    } catch (IOException | RuntimeException e) {
      end(e);
    }
  }

  private void countArrived(long nowNs) throws IOException {
    long now = (PortBytes.received(OUT) - before) / Packets.BYTES;
    if (now != arrived) {
      arrived = now;
      arrivedNs = nowNs;
    } else if (nowNs - arrivedNs >= LOST_NS) {
      lost = sent - arrived;
      arrivedNs = nowNs;
    }
  }

  private void end(Exception why) {
    packet.release();
    ended.completeExceptionally(why);
  }
}
