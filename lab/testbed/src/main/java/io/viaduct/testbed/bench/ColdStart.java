package io.viaduct.testbed.bench;

import io.viaduct.testbed.bench.Goal.Bound;
import java.io.IOException;
import java.util.List;
import java.util.function.LongSupplier;

/// Measures the time from the start of the device's end to the first returned packet.
final class ColdStart implements Measure {
  private static final long PATIENCE_NS = 60_000_000_000L;
  private static final Row START =
      Row.less("start", "start to first packet", "ms", 0, new Bound(700));

  private final BenchNetwork network;
  private final LongSupplier nanoTime;

  ColdStart(BenchNetwork network, LongSupplier nanoTime) {
    this.network = network;
    this.nanoTime = nanoTime;
  }

  @Override
  public String name() {
    return "start";
  }

  @Override
  public List<Row> rows() {
    return List.of(START);
  }

  @Override
  public void run(Peer peer, Recorder recorder) throws IOException {
    if (peer.role() == Role.DIRECT) {
      return;
    }
    peer.stopNear();
    long startNs = nanoTime.getAsLong();
    peer.startNear();
    if (FirstPacket.awaitNs(network, peer.target(), PATIENCE_NS, nanoTime) < 0) {
      throw new IllegalStateException("no packet passes after a start");
    }
    recorder.record(START, (nanoTime.getAsLong() - startNs) / 1e6);
  }
}
