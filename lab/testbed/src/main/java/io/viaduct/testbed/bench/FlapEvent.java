package io.viaduct.testbed.bench;

import static io.viaduct.testbed.bench.HandoverGoal.of;

import io.viaduct.testbed.traffic.Way;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Link A goes down and comes back ten times in ten seconds, while link B stands.
final class FlapEvent implements HandoverEvent {
  private static final int PORT = 7006;
  private static final int FLAPS = 10;
  private static final long HALF_NS = 500_000_000;
  private static final long PATIENCE_NS = 15_000_000_000L;
  private static final long SETTLED_NS = 3_000_000_000L; // longer than any delayed renewal

  @Override
  public String name() {
    return "flap";
  }

  @Override
  public String title() {
    return "link A flaps 10 times in 10 s, B stands";
  }

  @Override
  public List<HandoverGoal> goals() {
    return List.of(
        of(Reading.SESSIONS, Statistic.WORST, 1),
        of(Reading.CONNECTIONS, Statistic.WORST, 1),
        of(Reading.REGISTRATIONS, Statistic.WORST, 1),
        of(Reading.lost(Way.UP), Statistic.SUM, 0),
        of(Reading.lost(Way.DOWN), Statistic.SUM, 0));
  }

  @Override
  public Map<Reading, Double> run(MovingRig rig, long seed) throws Exception {
    if (!(rig.peer() instanceof ViaductPeer viaduct)) {
      throw new IllegalArgumentException("only Viaduct has sessions and registrations");
    }
    rig.onlyBy("A");
    Peer.StreamEnds ends = viaduct.open(rig.network(), PORT);
    try (var stream =
        new TwoWayStream(rig.network(), ends.near(), ends.far(), false, seed, rig.nanoTime())) {
      rig.await(
          () -> stream.up().arrived() > 0 && stream.down().arrived() > 0,
          PATIENCE_NS,
          "passes no packet before the event");
      rig.addLink("A", "B");
      rig.pause(2 * SETTLED_NS); // the return of link B may renew the registration
      long eventNs = rig.nowNs();
      ViaductPeer.Made before = viaduct.made();
      for (int flap = 1; flap <= FLAPS; flap++) {
        rig.links().lose("A");
        rig.until(eventNs + (2L * flap - 1) * HALF_NS);
        rig.links().restore("A");
        rig.until(eventNs + 2L * flap * HALF_NS);
      }
      rig.pause(SETTLED_NS);
      long untilNs = rig.nowNs();
      rig.pause(HALF_NS);
      stream.check();
      return values(stream, eventNs, untilNs, before, viaduct.made());
    }
  }

  private static Map<Reading, Double> values(
      TwoWayStream stream,
      long eventNs,
      long untilNs,
      ViaductPeer.Made before,
      ViaductPeer.Made after) {
    var values = new LinkedHashMap<Reading, Double>();
    values.put(Reading.SESSIONS, (double) after.sessions() - before.sessions());
    values.put(Reading.CONNECTIONS, (double) after.connections() - before.connections());
    values.put(Reading.REGISTRATIONS, (double) after.registrations() - before.registrations());
    for (Way way : Way.values()) {
      PacketSeries series = (way == Way.UP ? stream.up() : stream.down()).series();
      long steadyNs = eventNs - 2 * HALF_NS;
      values.put(Reading.outage(way), series.outageNs(steadyNs, eventNs, untilNs) / 1e6);
      values.put(Reading.lost(way), (double) series.lost(steadyNs, untilNs));
      values.put(Reading.duplicated(way), (double) series.duplicated());
      values.put(Reading.reordering(way), series.reorderingNs() / 1e6);
    }
    return values;
  }
}
