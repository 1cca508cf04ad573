package io.viaduct.testbed.bench;

import static java.util.Objects.requireNonNull;

import io.viaduct.testbed.traffic.Way;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// One TCP connection over the better of two lines alone, and then over both.
///
/// @param jitterMs what a packet's delay may be above that of its line, in each direction; the
///   order of packets stays
record BulkEvent(String name, int jitterMs) implements HandoverEvent {
  private static final double SECONDS = 8;
  private static final double GAIN = 1.7;
  private static final double NEVER_BELOW = 0.95;

  @Override
  public String title() {
    return "one TCP connection over two lines of 10 Mbit/s, RTT 20 and 60 ms"
        + (jitterMs == 0 ? "" : ", jitter " + jitterMs + " ms");
  }

  @Override
  public List<HandoverGoal> goals() {
    var goals = new ArrayList<HandoverGoal>();
    for (Way way : Way.values()) {
      if (jitterMs == 0) {
        goals.add(HandoverGoal.atLeast(Reading.gain(way), Statistic.P50, GAIN));
      }
      goals.add(HandoverGoal.atLeast(Reading.gain(way), Statistic.LEAST, NEVER_BELOW));
    }
    return goals;
  }

  @Override
  public boolean isFor(Peer other) {
    return other.canBond();
  }

  @Override
  public int repetitions() {
    return 10; // half a minute each
  }

  @Override
  public Map<Reading, Double> run(MovingRig rig, long seed) throws Exception {
    var lines = new TwoLines(rig, seed);
    var values = new LinkedHashMap<Reading, Double>();
    rig.peer().bond(true);
    try {
      lines.lay(jitterMs);
      for (Way way : Way.values()) {
        values.put(Reading.oneLine(way), lines.transfer(way, SECONDS).mbitPerSecond());
      }
      lines.addLineB();
      for (Way way : Way.values()) {
        double both = lines.transfer(way, SECONDS).mbitPerSecond();
        values.put(Reading.bothLines(way), both);
        values.put(Reading.gain(way), both / requireNonNull(values.get(Reading.oneLine(way))));
      }
      return values;
    } finally {
      rig.peer().bond(false);
      lines.clear();
    }
  }
}
