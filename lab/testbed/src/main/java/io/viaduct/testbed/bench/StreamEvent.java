package io.viaduct.testbed.bench;

import io.viaduct.testbed.traffic.Way;
import io.viaduct.testbed.weather.Direction;
import io.viaduct.testbed.weather.Fate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// An event that happens once while a stream flows in both directions, or only to the device.
///
/// @param from the link that carries the stream before
/// @param to the link that is up beside it; empty for none
/// @param restNs rest before the event, for peers whose decisions depend on the last half minute
/// @param onlyDown true if the device only receives
/// @param act what happens
/// @param repair what makes it undone
record StreamEvent(
    String name,
    String title,
    List<HandoverGoal> goals,
    boolean isForOthers,
    String from,
    String to,
    boolean onlyDown,
    long restNs,
    Act act,
    Act repair)
    implements HandoverEvent {
  private static final int PORT = 7006;
  private static final long PATIENCE_NS = 15_000_000_000L;
  private static final long STEADY_NS = 1_000_000_000;
  private static final long SETTLED_NS = 500_000_000;
  private static final long WATCHED_NS = 3_000_000_000L; // at least: a bad link is left late
  private static final long IN_FLIGHT_NS = 400_000_000; // longer than any round trip here
  private static final int ATTEMPTS = 4;
  private static final long FORGETTING_NS = 10_000_000_000L;
  private static final double BESIDE_MAX =
      0.5; // share of the frames: a new link has probes and searches its MTU

  /// Changes the links.
  interface Act {
    void on(MovingLinks links, Peer peer) throws Exception;
  }

  /// Arrivals of both directions around the event.
  private record Times(long eventNs, long untilNs) {}

  @Override
  public boolean isFor(Peer other) {
    return isForOthers;
  }

  @Override
  public Map<Reading, Double> run(MovingRig rig, long seed) throws Exception {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      var values = attempt(rig, seed, restNs + attempt * FORGETTING_NS);
      if (!values.isEmpty()) {
        return values;
      }
    }
    throw new IllegalStateException(
        "%s does not carry the stream by link %s while another one is up"
            .formatted(rig.peer().name(), from));
  }

  /// @param aloneNs time in which the link is the only one, for peers that remember its bad weather
  /// @return empty if the stream did not travel by the link that the event happens to
  private Map<Reading, Double> attempt(MovingRig rig, long seed, long aloneNs) throws Exception {
    rig.onlyBy(from);
    Peer.StreamEnds ends = rig.peer().open(rig.network(), PORT);
    TwoWayStream stream =
        new TwoWayStream(rig.network(), ends.near(), ends.far(), onlyDown, seed, rig.nanoTime());
    try (stream) {
      rig.await(() -> isFlowing(stream), PATIENCE_NS, "passes no packet before the event");
      rig.pause(SETTLED_NS + aloneNs);
      if (!to.isEmpty()) {
        rig.addLink(from, to);
      }
      rig.pause(SETTLED_NS);
      return isByFrom(rig) ? measured(rig, stream) : Map.of();
    }
  }

  private boolean isFlowing(TwoWayStream stream) {
    stream.check();
    return stream.down().arrived() > 0 && (onlyDown || stream.up().arrived() > 0);
  }

  /// Watches for the steady time which links carry the stream.
  private boolean isByFrom(MovingRig rig) {
    long before = frames(rig, from);
    long beside = to.isEmpty() ? 0 : frames(rig, to);
    rig.pause(STEADY_NS);
    return to.isEmpty() || frames(rig, to) - beside <= BESIDE_MAX * (frames(rig, from) - before);
  }

  private static long frames(MovingRig rig, String link) {
    return rig.links().count(link, Direction.UP, Fate.OFFERED)
        + rig.links().count(link, Direction.DOWN, Fate.OFFERED);
  }

  private Map<Reading, Double> measured(MovingRig rig, TwoWayStream stream) throws Exception {
    var values = new LinkedHashMap<Reading, Double>();
    try (ProbeCount probes =
        ProbeCount.on(rig.network(), isCounting() ? List.of(from, to) : List.of())) {
      long dropped = weatherLost(rig);
      long eventNs = rig.nowNs();
      stream.up().arrivals().watch(eventNs);
      stream.down().arrivals().watch(eventNs);
      act.on(rig.links(), rig.peer());
      boolean downGoesOn = goesOn(rig, stream, stream.down(), eventNs);
      boolean upGoesOn = onlyDown || goesOn(rig, stream, stream.up(), eventNs);
      if (isCounting()) {
        values.put(Reading.PROBES, (double) probes.ofDevice());
        values.put(Reading.SNAPT_PROBES, (double) probes.ofSnapt());
      }
      rig.until(eventNs + WATCHED_NS);
      var times = new Times(eventNs, rig.nowNs());
      values.put(Reading.WEATHER_LOST, (double) weatherLost(rig) - dropped);
      rig.pause(IN_FLIGHT_NS);
      if (!onlyDown) {
        put(values, Way.UP, stream.up().series(), times, upGoesOn);
      }
      put(values, Way.DOWN, stream.down().series(), times, downGoesOn);
    } finally {
      repair.on(rig.links(), rig.peer());
    }
    return values;
  }

  private boolean isCounting() {
    return goals.stream().anyMatch(goal -> goal.reading().equals(Reading.PROBES));
  }

  private static long weatherLost(MovingRig rig) {
    return rig.links().count("A", Direction.UP, Fate.LOST)
        + rig.links().count("A", Direction.DOWN, Fate.LOST);
  }

  /// Waits until packets have come again for a while, at most until the end of the patience.
  private static boolean goesOn(MovingRig rig, TwoWayStream stream, PacketTrack track, long eventNs)
      throws Exception {
    return rig.becomes(
        () -> {
          stream.check();
          return track.arrivals().isFlowingAgain(rig.nowNs());
        },
        eventNs + PATIENCE_NS - rig.nowNs());
  }

  private static void put(
      Map<Reading, Double> values, Way way, PacketSeries series, Times times, boolean goesOn) {
    long steadyNs = times.eventNs - STEADY_NS;
    values.put(Reading.outage(way), series.outageNs(steadyNs, times.eventNs, times.untilNs) / 1e6);
    values.put(Reading.ended(way), goesOn ? 0.0 : 1.0);
    values.put(Reading.lost(way), (double) series.lost(steadyNs, times.untilNs));
    if (way == Way.DOWN) {
      long laterNs = times.eventNs + MovingLinks.RTT_NS;
      values.put(Reading.LATER_LOST, (double) series.lost(laterNs, times.untilNs));
    }
    values.put(Reading.duplicated(way), (double) series.duplicated());
    values.put(Reading.reordering(way), series.reorderingNs() / 1e6);
  }
}
