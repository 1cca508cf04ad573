package io.viaduct.testbed.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Measures the longest pause at the receiver of 1000 packets/s while link A goes down, separately
/// for each direction. In the second direction the device only listens, so its tunnel must move
/// without a packet from the device.
final class Handover implements Measure {
  private static final int PORT = 7006;
  private static final int PAYLOAD = 100;
  private static final long INTERVAL_NS = 1_000_000;
  private static final long HELLO_NS = 20_000_000;
  private static final long BEFORE_NS = 1_000_000_000;
  private static final long GIVE_UP_NS = 15_000_000_000L;
  private static final long SETTLED_NS = 300_000_000;

  private static final Row UP = Row.less("handover-up", "silence at hand-over, up", "ms", 0);
  private static final Row DOWN = Row.less("handover-down", "silence at hand-over, down", "ms", 0);

  private final BenchNetwork network;
  private final LongSupplier nanoTime;

  Handover(BenchNetwork network, LongSupplier nanoTime) {
    this.network = network;
    this.nanoTime = nanoTime;
  }

  @Override
  public String name() {
    return "handover";
  }

  @Override
  public List<Row> rows() {
    return List.of(UP, DOWN);
  }

  @Override
  public void run(Peer peer, Recorder recorder) {
    if (peer.role() != Role.DIRECT) { // without a tunnel the device's address changes
      recorder.record(UP, silenceMs(peer, true));
      recorder.record(DOWN, silenceMs(peer, false));
    }
  }

  private double silenceMs(Peer peer, boolean upload) {
    var going = new AtomicBoolean(true);
    var arrivals = new Arrivals();
    CompletableFuture<Boolean> far =
        network.far().start("far", () -> farEnd(peer, going, upload ? arrivals : null));
    CompletableFuture<Boolean> near =
        network.device().start("near", () -> nearEnd(peer, going, upload ? null : arrivals));
    try {
      awaitFirst(arrivals);
      LockSupport.parkNanos(BEFORE_NS);
      long lostNs = nanoTime.getAsLong();
      arrivals.watch(lostNs);
      network.loseLinkA();
      while (!arrivals.isFlowingAgain(nanoTime.getAsLong())) {
        if (nanoTime.getAsLong() - lostNs > GIVE_UP_NS) {
          throw new IllegalStateException("no packet for 15 s after the hand-over");
        }
        LockSupport.parkNanos(INTERVAL_NS * 10);
      }
      return arrivals.longestNs() / 1e6;
    } finally {
      going.set(false);
      var unused = near.join() && far.join();
      network.restoreLinkA();
      FirstPacket.awaitNs(network, peer.target(), GIVE_UP_NS, nanoTime);
      LockSupport.parkNanos(SETTLED_NS);
    }
  }

  private void awaitFirst(Arrivals arrivals) {
    long endNs = nanoTime.getAsLong() + GIVE_UP_NS;
    while (arrivals.count() == 0) {
      if (nanoTime.getAsLong() - endNs > 0) {
        throw new IllegalStateException("no packet passes before the hand-over");
      }
      LockSupport.parkNanos(HELLO_NS);
    }
  }

  /// Takes the device's address from its first packet, then receives or sends.
  private boolean farEnd(Peer peer, AtomicBoolean going, @Nullable Arrivals arrivals)
      throws IOException {
    try (DatagramChannel channel = DatagramChannel.open()) {
      channel.bind(new InetSocketAddress(peer.target(), PORT)).configureBlocking(false);
      var packet = ByteBuffer.allocateDirect(PAYLOAD);
      SocketAddress device = null;
      while (device == null && going.get()) {
        device = channel.receive(packet.clear());
        LockSupport.parkNanos(INTERVAL_NS);
      }
      if (device != null) {
        channel.connect(device);
        exchange(channel, going, arrivals);
      }
      return true;
    }
  }

  private boolean nearEnd(Peer peer, AtomicBoolean going, @Nullable Arrivals arrivals)
      throws IOException {
    try (DatagramChannel channel = DatagramChannel.open()) {
      channel.connect(new InetSocketAddress(peer.target(), PORT)).configureBlocking(false);
      var packet = ByteBuffer.allocateDirect(PAYLOAD);
      while (arrivals != null && arrivals.count() == 0 && going.get()) {
        send(channel, packet); // asks the far endNs to begin
        LockSupport.parkNanos(HELLO_NS);
        drain(channel, packet, arrivals);
      }
      exchange(channel, going, arrivals);
      return true;
    }
  }

  private void exchange(DatagramChannel channel, AtomicBoolean going, @Nullable Arrivals arrivals) {
    var packet = ByteBuffer.allocateDirect(PAYLOAD);
    long dueNs = nanoTime.getAsLong();
    while (going.get()) {
      if (arrivals != null) {
        drain(channel, packet, arrivals);
      } else {
        for (; nanoTime.getAsLong() - dueNs >= 0; dueNs += INTERVAL_NS) {
          send(channel, packet);
        }
      }
      LockSupport.parkNanos(INTERVAL_NS / 4);
    }
  }

  private void drain(DatagramChannel channel, ByteBuffer packet, Arrivals arrivals) {
    try {
      while (channel.read(packet.clear()) > 0) {
        arrivals.onPacket(nanoTime.getAsLong());
      }
    } catch (IOException e) {
      // This is an ICMP error of an earlier packet.
    }
  }

  private static void send(DatagramChannel channel, ByteBuffer packet) {
    try {
      int ignored = channel.write(packet.clear());
    } catch (IOException e) {
      // There is no route at this moment: the packet is lost.
    }
  }
}
