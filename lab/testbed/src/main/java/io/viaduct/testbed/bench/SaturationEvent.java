package io.viaduct.testbed.bench;

import io.viaduct.testbed.traffic.TcpStream.Carried;
import io.viaduct.testbed.traffic.Way;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/// Two lines are full in both directions for half an hour.
///
/// @param lasts time of saturation
record SaturationEvent(Duration lasts) implements HandoverEvent {
  private static final long LOOK_NS = 1_000_000_000;
  private static final double ANSWERED_PERCENT_MIN = 95;

  @Override
  public String name() {
    return "saturation";
  }

  @Override
  public String title() {
    return "both lines of 10 Mbit/s are full for %d min".formatted(lasts.toMinutes());
  }

  @Override
  public List<HandoverGoal> goals() {
    return List.of(
        HandoverGoal.of(Reading.UNUSED, Statistic.SUM, 0),
        HandoverGoal.atLeast(Reading.ANSWERED, Statistic.LEAST, ANSWERED_PERCENT_MIN));
  }

  @Override
  public int repetitions() {
    return 1;
  }

  @Override
  public Map<Reading, Double> run(MovingRig rig, long seed) throws Exception {
    if (!(rig.peer() instanceof ViaductPeer viaduct)) {
      throw new IllegalArgumentException("only Viaduct says which paths it uses");
    }
    var lines = new TwoLines(rig, seed);
    var values = new LinkedHashMap<Reading, Double>();
    try (ProbeCount probes = ProbeCount.on(rig.network(), TwoLines.LINKS)) {
      lines.lay(0);
      lines.addLineB();
      List<CompletableFuture<Carried>> bulk =
          List.of(lines.start(Way.UP, lasts.toSeconds()), lines.start(Way.DOWN, lasts.toSeconds()));
      values.put(Reading.UNUSED, (double) unused(rig, viaduct, bulk));
      values.put(Reading.PROBES, (double) probes.ofDevice());
      values.put(Reading.ANSWERED, 100.0 * probes.ofSnapt() / probes.ofDevice());
      values.put(Reading.bothLines(Way.UP), bulk.getFirst().join().mbitPerSecond());
      values.put(Reading.bothLines(Way.DOWN), bulk.getLast().join().mbitPerSecond());
      return values;
    } finally {
      lines.clear();
    }
  }

  /// Looks each second until the transfers have ended. @return looks at which a link was not used
  private static int unused(
      MovingRig rig, ViaductPeer viaduct, List<CompletableFuture<Carried>> bulk)
      throws IOException {
    int unused = 0;
    while (!bulk.stream().allMatch(CompletableFuture::isDone)) {
      unused += viaduct.isReadyBy(List.of("linkA", "linkB")) ? 0 : 1;
      rig.pause(LOOK_NS);
    }
    return unused;
  }
}
