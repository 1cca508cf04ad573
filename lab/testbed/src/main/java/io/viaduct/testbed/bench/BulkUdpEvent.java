package io.viaduct.testbed.bench;

import static java.util.Objects.requireNonNull;

import io.viaduct.testbed.bench.PacketFlow.Period;
import io.viaduct.testbed.bench.PacketFlow.Result;
import io.viaduct.testbed.traffic.Way;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/// One UDP flow that wants the rate of two lines: over the better one alone, and then over both. It
/// sends at a constant rate, so what the lines do not carry is lost.
final class BulkUdpEvent implements HandoverEvent {
  private static final double OFFERED_BIT_PER_SECOND = 2 * TwoLines.LINE_MBIT * 1e6;
  private static final double RAMP_SECONDS = 1;
  private static final double SECONDS = 8;
  private static final double STRAGGLERS_SECONDS = 0.5;
  private static final double GAIN = 1.7;
  private static final double NEVER_BELOW = 0.95;

  @Override
  public String name() {
    return "bulk-udp";
  }

  @Override
  public String title() {
    return "one UDP flow of 20 Mbit/s over two lines of 10 Mbit/s, RTT 20 and 60 ms";
  }

  @Override
  public List<HandoverGoal> goals() {
    var goals = new ArrayList<HandoverGoal>();
    for (Way way : Way.values()) {
      goals.add(HandoverGoal.atLeast(Reading.gain(way), Statistic.P50, GAIN));
      goals.add(HandoverGoal.atLeast(Reading.gain(way), Statistic.LEAST, NEVER_BELOW));
    }
    return goals;
  }

  @Override
  public int repetitions() {
    return 10; // half a minute each
  }

  @Override
  public Map<Reading, Double> run(MovingRig rig, long seed) throws Exception {
    var lines = new TwoLines(rig, seed);
    var values = new LinkedHashMap<Reading, Double>();
    try {
      lines.lay(0);
      for (Way way : Way.values()) {
        values.put(Reading.oneLine(way), carried(rig, way, seed).mbitPerSecond());
      }
      lines.addLineB();
      for (Way way : Way.values()) {
        Carried both = carried(rig, way, seed + 1);
        double one = requireNonNull(values.get(Reading.oneLine(way)));
        values.put(Reading.bothLines(way), both.mbitPerSecond());
        values.put(Reading.gain(way), both.mbitPerSecond() / one);
        values.put(Reading.outOfOrderPercent(way), both.outOfOrderPercent());
      }
      return values;
    } finally {
      lines.clear();
    }
  }

  /// The traffic that a flow has carried.
  ///
  /// @param mbitPerSecond of UDP payload, after the ramp-up
  /// @param outOfOrderPercent of all packets that arrived, with those of the ramp-up
  private record Carried(double mbitPerSecond, double outOfOrderPercent) {}

  private static Carried carried(MovingRig rig, Way way, long seed) {
    Period period = Period.soon(rig.nowNs(), RAMP_SECONDS + SECONDS, STRAGGLERS_SECONDS);
    long fromNs = period.endNs() - (long) (SECONDS * 1e9);
    var counted = new LongAdder();
    var flow =
        new PacketFlow(
            rig.network(),
            TrafficClass.HT_HD,
            0,
            OFFERED_BIT_PER_SECOND,
            PayloadKind.RANDOM.from(seed),
            nowNs -> {
              if (nowNs - fromNs >= 0 && nowNs - period.endNs() < 0) {
                counted.increment();
              }
            },
            rig.nanoTime());
    Result result = flow.start(way, rig.peer().target(), period).join();
    double mbit = counted.sum() * TrafficClass.HT_HD.payloadBytes() * 8 / SECONDS / 1e6;
    return new Carried(mbit, 100.0 * result.outOfOrder() / Math.max(1, result.received()));
  }
}
