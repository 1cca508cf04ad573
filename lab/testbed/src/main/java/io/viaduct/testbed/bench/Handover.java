package io.viaduct.testbed.bench;

import io.viaduct.testbed.bench.PacketFlow.Period;
import io.viaduct.testbed.bench.PacketFlow.Result;
import io.viaduct.testbed.traffic.Way;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/// Measures the longest pause at the receiver of 1000 packets/s while link A goes down, separately
/// for each direction. In the second direction the device only listens, so its tunnel must move
/// without a packet from the device.
final class Handover implements Measure {
  private static final int PORT = 7006;
  private static final int PAYLOAD = 100;
  private static final double PACKETS_PER_SECOND = 1_000;
  private static final long SEED = 1;
  private static final long STEP_NS = 10_000_000;
  private static final long BEFORE_NS = 1_000_000_000;
  private static final long GIVE_UP_NS = 15_000_000_000L;
  private static final long SETTLED_NS = 300_000_000;
  private static final double SECONDS_MAX = 40; // longer than both waits and the time between them

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
      recorder.record(UP, silenceMs(peer, Way.UP));
      recorder.record(DOWN, silenceMs(peer, Way.DOWN));
    }
  }

  private double silenceMs(Peer peer, Way way) {
    var arrivals = new Arrivals();
    var payloads = PayloadKind.RANDOM.from(SEED);
    var flow =
        new PacketFlow(
            network, PORT, PAYLOAD, PACKETS_PER_SECOND, payloads, arrivals::onPacket, nanoTime);
    Period period = Period.soon(nanoTime.getAsLong(), SECONDS_MAX, 0);
    CompletableFuture<Result> carried = flow.start(way, peer.target(), period);
    try {
      await(() -> arrivals.count() > 0, "no packet passes before the hand-over");
      LockSupport.parkNanos(BEFORE_NS);
      arrivals.watch(nanoTime.getAsLong());
      network.lose("A");
      await(
          () -> arrivals.isFlowingAgain(nanoTime.getAsLong()),
          "no packet for 15 s after the hand-over");
      return arrivals.longestNs() / 1e6;
    } finally {
      flow.stop();
      var unused = carried.join();
      network.restore("A");
      FirstPacket.awaitNs(network, peer.target(), GIVE_UP_NS, nanoTime);
      LockSupport.parkNanos(SETTLED_NS);
    }
  }

  private void await(BooleanSupplier condition, String otherwise) {
    long endNs = nanoTime.getAsLong() + GIVE_UP_NS;
    while (!condition.getAsBoolean()) {
      if (nanoTime.getAsLong() - endNs > 0) {
        throw new IllegalStateException(otherwise);
      }
      LockSupport.parkNanos(STEP_NS);
    }
  }
}
