package io.viaduct.cnapt;

import io.viaduct.cnapt.control.Snapt;
import io.viaduct.tunnel.control.v1.Relay;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/// A simulated fleet: SNAPTs, devices, and a bridge that tells each what it knows of the others, as
/// late as the real one does. Has no thread; equal seeds give equal runs.
final class Fleet {
  private static final int SNAPTS_PER_REGION = 10;

  /// No device may be back at a SNAPT so soon after it has left it.
  static final long RETURN_MS = 600_000;

  private static final long STATUS_MS = 3_000; // reporting.status-every
  private static final long STALE_MS = 15_000; // directory.stale-after
  private static final long NOTIFY_MS = 1_000;
  private static final double ON_THE_WAY_MS = 50;
  private static final int RELAYS_MAX = 128; // of a RelayList
  private static final double MEAN_LOAD = 0.6;
  private static final double MEAN_BIT_PER_SECOND = 500_000; // of a device, about
  private static final long SAMPLE_MS = 5_000;
  private static final double START_MS = 10_000;

  final FleetClock clock = new FleetClock();
  final Random random;
  final List<FleetSnapt> snapts = new ArrayList<>();
  final List<FleetDevice> devices = new ArrayList<>();
  private final Map<String, FleetSnapt> byId = new HashMap<>();
  private final Map<FleetSnapt, Relay> directory = new LinkedHashMap<>(); // at the bridge
  private final Map<FleetSnapt, Long> seenMs = new HashMap<>();
  private List<Snapt> granted = List.of();
  private double[] delaysMs = new double[1024];
  private int delays;
  private double peak;
  private long moves;
  private long returns;
  private long resets;
  private long waits;

  /// Result of one scenario.
  ///
  /// @param peak greatest load of a SNAPT that serves, as a multiple of the mean, at any time
  /// @param end the same at the end
  /// @param delayMs 99th percentile of the round trips of flows
  /// @param moves changes of the SNAPT per device
  /// @param movesMax most changes of one device
  /// @param returns changes to a SNAPT that the device had left within [#RETURN_MS], although its
  ///   present one served
  /// @param resets flows whose SNAPT has died
  /// @param waits flows that found no SNAPT
  record Outcome(
      double peak,
      double end,
      double delayMs,
      double moves,
      int movesMax,
      long returns,
      long resets,
      long waits) {}

  Fleet(int snaptCount, int deviceCount, int sessions, long seed) {
    random = new Random(seed);
    int regions = Math.max(1, snaptCount / SNAPTS_PER_REGION);
    int sessionsMax = (int) Math.ceil((double) deviceCount * sessions / snaptCount / MEAN_LOAD);
    double bitPerSecondMax = MEAN_BIT_PER_SECOND * deviceCount / snaptCount / MEAN_LOAD;
    for (int i = 0; i < snaptCount; i++) {
      FleetSnapt each = new FleetSnapt(i, i % regions, sessionsMax, bitPerSecondMax);
      snapts.add(each);
      byId.put(each.at.id(), each);
      announce(each);
      clock.every(STATUS_MS, random.nextDouble(STATUS_MS), () -> status(each));
      clock.every(NOTIFY_MS, random.nextDouble(NOTIFY_MS), () -> tell(each));
    }
    granted = grant();
    for (int i = 0; i < deviceCount; i++) {
      FleetDevice each = new FleetDevice(this, i % regions, sessions, random.nextLong());
      devices.add(each);
      clock.after(random.nextDouble(START_MS), () -> each.start(granted));
    }
    clock.every(NOTIFY_MS, 0, this::renewGrants);
    clock.every(SAMPLE_MS, START_MS + STATUS_MS, this::sample);
  }

  FleetSnapt snapt(Snapt at) {
    return byId.get(at.id());
  }

  // --- what the bridge and the SNAPTs tell

  private void announce(FleetSnapt each) {
    directory.put(each, each.relay());
    seenMs.put(each, clock.nowMs());
  }

  private final Map<FleetSnapt, List<Relay>> known = new HashMap<>(); // at each SNAPT

  // The bridge answers each status with its directory.
  private void status(FleetSnapt each) {
    if (each.isUp) {
      announce(each);
      known.put(each, directory());
    }
  }

  private List<Relay> directory() {
    return snapts.stream().filter(this::isSeen).map(directory::get).toList();
  }

  private boolean isSeen(FleetSnapt each) {
    return clock.nowMs() - seenMs.get(each) <= STALE_MS;
  }

  /// Tells the devices of a SNAPT its list, if it has changed: the SNAPT itself first.
  private void tell(FleetSnapt by) {
    if (!by.isUp) {
      return;
    }
    List<Relay> list = new ArrayList<>();
    list.add(by.relay());
    for (Relay each : known.getOrDefault(by, List.of())) {
      if (!each.getSnaptId().equals(by.at.id()) && list.size() < RELAYS_MAX) {
        list.add(each);
      }
    }
    if (list.equals(by.listed)) {
      return;
    }
    by.listed = List.copyOf(list);
    for (FleetLine each : by.sessions) {
      clock.after(
          ON_THE_WAY_MS,
          () -> {
            if (each.used == by && by.isUp) {
              each.device.told(by);
            }
          });
    }
  }

  private List<Snapt> grant() {
    return snapts.stream()
        .filter(each -> isSeen(each) && directory.get(each).getState() != Relay.State.DRAINING)
        .map(each -> each.at)
        .toList();
  }

  private void renewGrants() {
    List<Snapt> now = grant();
    if (!now.equals(granted)) {
      granted = now;
      devices.forEach(each -> clock.after(ON_THE_WAY_MS, () -> each.granted(now)));
    }
  }

  // --- what happens

  void fail(FleetSnapt each) {
    List<FleetLine> lost = List.copyOf(each.sessions);
    each.fail();
    lost.forEach(FleetLine::lost);
  }

  void comeBack(FleetSnapt each) {
    each.isUp = true;
    status(each);
  }

  void drain(FleetSnapt each, boolean drains) {
    each.isDraining = drains;
    status(each);
    tell(each);
  }

  void slow(int region, double ms) {
    snapts.stream().filter(each -> each.region == region).forEach(each -> each.slowMs = ms);
  }

  void moved(FleetLine line, FleetSnapt from, FleetSnapt to) {
    moves++;
    line.device.moves++;
    long nowMs = clock.nowMs();
    line.device.leftMs.put(from, nowMs);
    Long left = line.device.leftMs.get(to);
    boolean mayStay = from.isUp && !from.isDraining;
    if (mayStay && left != null && nowMs - left < RETURN_MS) {
      returns++;
    }
  }

  void reset(int flows) {
    resets += flows;
  }

  void waited() {
    waits++;
  }

  // --- what is measured

  private double fullest() {
    double mean = serving().stream().mapToInt(each -> each.sessions.size()).average().orElse(0);
    int most = serving().stream().mapToInt(each -> each.sessions.size()).max().orElse(0);
    return mean == 0 ? 0 : most / mean;
  }

  private List<FleetSnapt> serving() {
    return snapts.stream().filter(each -> each.isUp && !each.isDraining).toList();
  }

  private void sample() {
    peak = Math.max(peak, fullest());
    for (FleetDevice device : devices) {
      for (FleetLine line : device.lines) {
        if (line.flows > 0 && line.isConnected()) {
          if (delays == delaysMs.length) {
            delaysMs = Arrays.copyOf(delaysMs, 2 * delays);
          }
          delaysMs[delays++] = line.roundTripMs();
        }
      }
    }
  }

  /// Lets time pass, and returns what happened meanwhile.
  Outcome pass(long ms) {
    peak = 0;
    delays = 0;
    moves = 0;
    returns = 0;
    resets = 0;
    waits = 0;
    devices.forEach(each -> each.moves = 0);
    clock.pass(ms);
    double[] sorted = Arrays.copyOf(delaysMs, delays);
    Arrays.sort(sorted);
    return new Outcome(
        peak,
        fullest(),
        delays == 0 ? Double.NaN : sorted[(int) (0.99 * (delays - 1))],
        (double) moves / devices.size(),
        devices.stream().mapToInt(each -> each.moves).max().orElse(0),
        returns,
        resets,
        waits);
  }
}
