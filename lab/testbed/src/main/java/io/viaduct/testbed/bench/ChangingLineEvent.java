package io.viaduct.testbed.bench;

import io.viaduct.testbed.traffic.TcpStream.Carried;
import io.viaduct.testbed.traffic.Way;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/// A second line appears beside a line that is full, later has a tenth of its rate, and then its
/// rate again.
final class ChangingLineEvent implements HandoverEvent {
  private static final double SECONDS = 26;
  private static final long FULL_NS = 3_000_000_000L;
  private static final long APPEARED_NS = 6_000_000_000L;
  private static final long RIGHT_AFTER_NS = 3_000_000_000L;
  private static final long WINDOW_NS = 3_000_000_000L;
  private static final long STEP_NS = 10_000_000;
  private static final long PATIENCE_NS = 10_000_000_000L;
  private static final double SLOW_MBIT = 1;
  private static final double USED_SHARE = 0.05; // of what the line carries in the patience
  private static final double USED_MS_MAX = 2_000;
  private static final double ERROR_POINTS_MAX = 10;

  @Override
  public String name() {
    return "changing-line";
  }

  @Override
  public String title() {
    return "a second line appears, changes its rate to a tenth, and back";
  }

  @Override
  public List<HandoverGoal> goals() {
    return List.of(
        HandoverGoal.of(Reading.usedAfter(Way.UP), Statistic.P95, USED_MS_MAX),
        HandoverGoal.of(Reading.usedAfter(Way.DOWN), Statistic.P95, USED_MS_MAX),
        HandoverGoal.of(Reading.shareError(Way.UP), Statistic.P95, ERROR_POINTS_MAX),
        HandoverGoal.of(Reading.shareError(Way.DOWN), Statistic.P95, ERROR_POINTS_MAX));
  }

  @Override
  public int repetitions() {
    return 10; // a minute each
  }

  @Override
  public Map<Reading, Double> run(MovingRig rig, long seed) throws Exception {
    var lines = new TwoLines(rig, seed);
    var values = new LinkedHashMap<Reading, Double>();
    try {
      for (Way way : Way.values()) {
        lines.lay(0);
        CompletableFuture<Carried> bulk = lines.start(way, SECONDS);
        rig.pause(FULL_NS);
        values.put(Reading.usedAfter(way), usedAfterMs(lines, way));
        rig.pause(APPEARED_NS);
        double worst = shareError(lines, way, SLOW_MBIT);
        values.put(
            Reading.shareError(way), Math.max(worst, shareError(lines, way, TwoLines.LINE_MBIT)));
        bulk.join();
      }
      return values;
    } finally {
      lines.clear();
    }
  }

  /// Returns the time until the line has carried what it carries in 50 ms.
  private static double usedAfterMs(TwoLines lines, Way way) throws Exception {
    MovingRig rig = lines.rig();
    long before = lines.bytes("B", way);
    rig.links().restore("B");
    long sinceNs = rig.nowNs();
    rig.peer().onLinkUp(rig.network(), "B");
    double wanted = TwoLines.LINE_MBIT * 1e6 / 8 * USED_SHARE;
    rig.becomes(() -> lines.bytes("B", way) - before >= wanted, PATIENCE_NS);
    return (rig.nowNs() - sinceNs) / 1e6;
  }

  /// Changes the rate of line B, and returns by how many percentage points its share of the bytes
  /// differs from its share of the rate, between three and six seconds later.
  private static double shareError(TwoLines lines, Way way, double mbit) {
    MovingRig rig = lines.rig();
    rig.links().weather("B", "rate=%.0fmbit".formatted(mbit));
    rig.pause(RIGHT_AFTER_NS);
    long a = lines.bytes("A", way);
    long b = lines.bytes("B", way);
    rig.pause(WINDOW_NS);
    a = lines.bytes("A", way) - a;
    b = lines.bytes("B", way) - b;
    return 100 * Math.abs((double) b / (a + b) - mbit / (mbit + TwoLines.LINE_MBIT));
  }
}
