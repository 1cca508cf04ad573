package io.viaduct.testbed.bench;

import static java.util.Objects.requireNonNull;

import io.viaduct.testbed.bench.PacketFlow.Period;
import io.viaduct.testbed.bench.PacketFlow.Result;
import io.viaduct.testbed.traffic.Way;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/// Link A goes down while each class of service has a flow in each direction, with the packet size
/// of the class and the middle of its rates.
final class ClassLossEvent implements HandoverEvent {
  private static final double SECONDS = 12; // with the hold time of link B
  private static final long AFTER_NS = 2_000_000_000;
  private static final double STRAGGLERS_SECONDS = 1;
  private static final long SETTLED_NS = 1_000_000_000;

  @Override
  public String name() {
    return "classes";
  }

  @Override
  public String title() {
    return "loss by class when link A goes down, B is up";
  }

  /// Returns no goal: the issue wants the numbers only.
  @Override
  public List<HandoverGoal> goals() {
    return List.of();
  }

  @Override
  public Map<Reading, Double> run(MovingRig rig, long seed) throws Exception {
    rig.onlyBy("A");
    Period period = Period.soon(rig.nowNs(), SECONDS, STRAGGLERS_SECONDS);
    Map<Reading, CompletableFuture<Result>> running = new LinkedHashMap<>();
    Map<Reading, Reading> sent = new LinkedHashMap<>();
    int number = 0;
    for (TrafficClass of : TrafficClass.values()) {
      for (Way way : Way.values()) {
        var payloads = PayloadKind.RANDOM.from(seed * TrafficClass.values().length * 2 + number++);
        var flow =
            new PacketFlow(
                rig.network(), of, way.ordinal(), of.rate(0, 1), payloads, _ -> {}, rig.nanoTime());
        Reading lost = Reading.lost(of, way);
        sent.put(lost, Reading.sent(of, way));
        running.put(lost, flow.start(way, rig.peer().target(), period));
      }
    }
    // The flows begin while link A is alone, so that all of them are there at the event.
    rig.pause(SETTLED_NS);
    rig.addLink("A", "B");
    rig.pause(SETTLED_NS);
    if (rig.nowNs() + AFTER_NS - period.endNs() > 0) {
      throw new IllegalStateException("link B was not used within %.0f s".formatted(SECONDS));
    }
    rig.links().lose("A");
    var values = new LinkedHashMap<Reading, Double>();
    for (var each : running.entrySet()) {
      Result result = each.getValue().join();
      values.put(each.getKey(), (double) result.sent() - result.received());
      values.put(requireNonNull(sent.get(each.getKey())), (double) result.sent());
    }
    return values;
  }
}
