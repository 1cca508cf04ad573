package io.viaduct.testbed.bench;

import io.viaduct.testbed.traffic.Way;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A stream whose rule asks for two paths, while both links lose 10 % in each direction.
final class CopiesEvent implements HandoverEvent {
  /// Lines of the agent's configuration.
  static final String POLICY = "policy: [{protocol: udp, ports: [7008], method: all}]\n";

  private static final int PORT = 7008;
  private static final String LOSS = "loss=10%";
  private static final double LOST_PERCENT_MAX = 1.2;
  private static final long MEASURED_NS = 10_000_000_000L;
  private static final long SETTLED_NS = 1_000_000_000;
  private static final long PATIENCE_NS = 15_000_000_000L;

  @Override
  public String name() {
    return "copies";
  }

  @Override
  public String title() {
    return "a rule sends every packet by both links, each loses 10 %";
  }

  @Override
  public List<HandoverGoal> goals() {
    return List.of(
        HandoverGoal.of(Reading.lostPercent(Way.UP), Statistic.P50, LOST_PERCENT_MAX),
        HandoverGoal.of(Reading.lostPercent(Way.DOWN), Statistic.P50, LOST_PERCENT_MAX));
  }

  @Override
  public int repetitions() {
    return 10; // of 10,000 packets each
  }

  @Override
  public Map<Reading, Double> run(MovingRig rig, long seed) throws Exception {
    rig.onlyBy("A");
    Peer.StreamEnds ends = rig.peer().open(rig.network(), PORT);
    try (var stream =
        new TwoWayStream(rig.network(), ends.near(), ends.far(), false, seed, rig.nanoTime())) {
      rig.await(
          () -> stream.up().arrived() > 0 && stream.down().arrived() > 0,
          PATIENCE_NS,
          "passes no packet before the event");
      rig.addLink("A", "B");
      TwoLines.LINKS.forEach(link -> rig.links().weather(link, LOSS));
      rig.pause(SETTLED_NS);
      long fromNs = rig.nowNs();
      rig.pause(MEASURED_NS);
      long untilNs = rig.nowNs();
      rig.pause(SETTLED_NS);
      stream.check();
      return values(stream, fromNs, untilNs);
    } finally {
      TwoLines.LINKS.forEach(rig.links()::clear);
    }
  }

  private static Map<Reading, Double> values(TwoWayStream stream, long fromNs, long untilNs) {
    var values = new LinkedHashMap<Reading, Double>();
    for (Way way : Way.values()) {
      PacketSeries series = (way == Way.UP ? stream.up() : stream.down()).series();
      double sent = TwoWayStream.PER_SECOND * (MEASURED_NS / 1e9);
      values.put(Reading.lostPercent(way), 100 * series.lost(fromNs, untilNs) / sent);
      values.put(Reading.duplicated(way), (double) series.duplicated());
    }
    return values;
  }
}
