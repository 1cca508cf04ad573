package io.viaduct.testbed.bench;

import io.viaduct.testbed.bench.Goal.OfBest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/// Measures the highest rate of UDP packets of 100 B payload that arrives without loss (RFC 2544,
/// section 26.1). One packet in a thousand may be lost, because of other work of the machine. The
/// rate is doubled until packets are lost, then bisected.
final class PacketRate implements Measure {
  private static final double FORGIVEN = 0.001;
  private static final double FIRST_RATE = 5_000;
  private static final double TOP_RATE = 2_000_000;
  private static final int BISECTIONS = 5;
  private static final int TRIES = 2;

  private static final Row RATE =
      Row.more("packets", "100 B packets without loss", "1/s", 0, new OfBest(1.5));

  private final PacketStream stream;
  private final Map<String, Double> reached = new HashMap<>();

  PacketRate(BenchNetwork network, double seconds, LongSupplier nanoTime) {
    stream = new PacketStream(network, seconds, nanoTime);
  }

  @Override
  public String name() {
    return "packets";
  }

  @Override
  public List<Row> rows() {
    return List.of(RATE);
  }

  @Override
  public void run(Peer peer, Recorder recorder) {
    double low = 0;
    double high = Math.max(FIRST_RATE, reached.getOrDefault(peer.name(), 0.0) / 2);
    while (high < TOP_RATE && passes(peer, high)) {
      low = high;
      high *= 2;
    }
    for (int i = 0; i < BISECTIONS; i++) {
      double middle = low == 0 ? high / 2 : Math.sqrt(low * high);
      if (passes(peer, middle)) {
        low = middle;
      } else {
        high = middle;
      }
    }
    reached.put(peer.name(), low);
    recorder.record(RATE, low);
  }

  /// Tries more than once, because other work of the machine may disturb one try.
  private boolean passes(Peer peer, double rate) {
    boolean passed = false;
    for (int i = 0; i < TRIES && !passed; i++) {
      passed = stream.run(peer.target(), rate).isComplete(FORGIVEN);
    }
    return passed;
  }
}
