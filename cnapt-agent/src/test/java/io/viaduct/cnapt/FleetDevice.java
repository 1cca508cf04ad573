package io.viaduct.cnapt;

import io.viaduct.cnapt.control.SimulatedLists;
import io.viaduct.cnapt.control.Snapt;
import io.viaduct.cnapt.policy.Unmet;
import io.viaduct.cnapt.snapts.SnaptChoice;
import io.viaduct.cnapt.snapts.SnaptFacts;
import io.viaduct.cnapt.snapts.SnaptsSettings;
import io.viaduct.tunnel.control.v1.Relay;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/// One simulated device: flows come and go, and the real code chooses their SNAPTs and its own.
final class FleetDevice {
  private static final long WATCH_MS = 1_800; // SnaptWatch.STEP_MS
  private static final long IDLE_MS = 30_000; // SnaptWatch.IDLE_NS
  private static final long LOOK_MS = 10_000; // LoadSpread.LOOK_MS

  // Flows: exponential gaps, durations of a Pareto distribution.
  private static final double GAP_MS = 30_000;
  private static final double DURATION_MS = 4_000;
  private static final double SHAPE = 1.3;
  private static final double DURATION_MS_MAX = 3_600_000;

  // Round trips: in the region, to another one, and a part that each pair has for itself.
  private static final double NEAR_MS = 15;
  private static final double FAR_MS = 45;
  private static final double OWN_MS = 10;

  final SimulatedLists lists;
  final List<FleetLine> lines = new ArrayList<>();
  final Map<FleetSnapt, Long> leftMs = new HashMap<>();
  int moves;
  private final Fleet fleet;
  private final int region;
  private final Random random;
  private final SnaptChoice choice;
  private final NearerSnapts<FleetLine> nearer;
  private final LoadSpread<FleetLine> spread;
  private final Map<FleetSnapt, Double> baseMs = new HashMap<>();
  private List<Snapt> granted = List.of();
  private long carriedMs;

  FleetDevice(Fleet fleet, int region, int sessions, long seed) {
    this.fleet = fleet;
    this.region = region;
    random = new Random(seed);
    LeftSnapts left = new LeftSnapts();
    byte[] key = new byte[32];
    random.nextBytes(key);
    lists = new SimulatedLists(key);
    choice = new SnaptChoice(new SnaptsSettings(sessions, 10, Unmet.BEST_EFFORT, ""));
    for (int i = 0; i < sessions; i++) {
      lines.add(new FleetLine(fleet, this, lists.line(random)));
    }
    nearer =
        new NearerSnapts<>(
            lines,
            this::carryBeside,
            lists.order()::takesMore,
            lists.order()::priceMs,
            left,
            fleet.clock::nowNs);
    spread = new LoadSpread<>(lines, lists.claims(), left, random, fleet.clock::nowNs);
  }

  private boolean carryBeside(FleetLine line) {
    return lines.stream().anyMatch(each -> each != line && each.isConnected() && !each.isLeaving());
  }

  void start(List<Snapt> grant) {
    granted(grant);
    if (lines.size() > 1) {
      fleet.clock.every(WATCH_MS, random.nextDouble(WATCH_MS), this::measure);
    }
    fleet.clock.every(LOOK_MS, random.nextDouble(LOOK_MS), spread::look);
    nextFlow();
  }

  double roundTripMs(FleetSnapt to) {
    double base =
        baseMs.computeIfAbsent(
            to, each -> (each.region == region ? NEAR_MS : FAR_MS) + random.nextDouble(OWN_MS));
    return base + to.slowMs + to.queueMs();
  }

  // --- lists

  /// Takes a grant of the bridge.
  void granted(List<Snapt> grant) {
    granted = grant;
    list(grant);
  }

  /// Takes the list of its SNAPT: as `RelayLists`, it says which of the granted ones drain.
  void told(FleetSnapt by) {
    lists.order().told(by.listed);
    List<String> draining =
        by.listed.stream()
            .filter(each -> each.getState() == Relay.State.DRAINING)
            .map(Relay::getSnaptId)
            .toList();
    list(granted.stream().filter(each -> !draining.contains(each.id())).toList());
    lines.forEach(FleetLine::leaveIfEmpty);
  }

  private void list(List<Snapt> snapts) {
    List<Snapt> own = snapts;
    for (FleetLine each : lines) {
      own = each.list.replace(snapts);
    }
    if (lines.size() > 1) {
      lists.list(own);
    }
    spread.told(own);
    lines.forEach(FleetLine::connect);
  }

  /// Lets other lines connect to a SNAPT that one may have given up.
  void free(FleetLine by) {
    lines.stream().filter(each -> each != by).forEach(FleetLine::connect);
  }

  private void measure() {
    if (lines.stream().anyMatch(each -> each.flows > 0)) {
      carriedMs = fleet.clock.nowMs();
    }
    if (fleet.clock.nowMs() - carriedMs >= IDLE_MS) {
      return;
    }
    Snapt next = lists.next();
    if (next == null) {
      return;
    }
    FleetSnapt to = fleet.snapt(next);
    double ms = to.isUp ? roundTripMs(to) * (0.95 + random.nextDouble(0.1)) : Double.NaN;
    nearer.measured(lists.answered(next, ms, fleet.clock.nowNs()));
  }

  // --- flows

  private void nextFlow() {
    fleet.clock.after(
        -GAP_MS * Math.log(1 - random.nextDouble()),
        () -> {
          begin();
          nextFlow();
        });
  }

  private void begin() {
    ServiceClass of = ServiceClass.of(random.nextInt(ServiceClass.COUNT));
    double bitPerSecond = of.ordinal() % 2 == 1 ? pareto(300_000, 20_000_000) : 30_000;
    List<SnaptFacts> facts = lines.stream().map(FleetLine::facts).toList();
    FleetLine line = lines.get(choice.choose(of, facts).chosen());
    FleetSnapt at = line.used;
    if (at == null || !at.isUp) {
      fleet.waited();
      return;
    }
    line.flows++;
    line.bitPerSecond += bitPerSecond;
    at.bitPerSecond += bitPerSecond;
    int epoch = line.epoch;
    fleet.clock.after(
        pareto(DURATION_MS, DURATION_MS_MAX), () -> end(line, at, epoch, bitPerSecond));
  }

  private double pareto(double least, double most) {
    return Math.min(most, least * Math.pow(1 - random.nextDouble(), -1 / SHAPE));
  }

  private void end(FleetLine line, FleetSnapt at, int epoch, double bitPerSecond) {
    if (at.isUp) {
      at.bitPerSecond = Math.max(0, at.bitPerSecond - bitPerSecond);
    }
    if (line.epoch == epoch) {
      line.flows--;
      line.bitPerSecond = line.flows == 0 ? 0 : line.bitPerSecond - bitPerSecond;
      line.leaveIfEmpty();
    }
  }
}
