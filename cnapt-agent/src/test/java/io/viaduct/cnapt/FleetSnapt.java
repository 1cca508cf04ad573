package io.viaduct.cnapt;

import io.viaduct.cnapt.control.Snapt;
import io.viaduct.tunnel.control.v1.Relay;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// One simulated SNAPT: it takes sessions up to its limit, tells its load in steps of ten points as
/// the real one does (`SessionRegistry`), and becomes slower the more it carries.
final class FleetSnapt {
  private static final int LOAD_STEP = 10;
  private static final double QUEUE_MS = 2; // mean wait at half of the rate, as in M/M/1
  private static final double FULLEST = 0.95;

  final Snapt at;
  final int region;
  final Set<FleetLine> sessions = new LinkedHashSet<>();
  private final int sessionsMax;
  private final double bitPerSecondMax;
  boolean isUp = true;
  boolean isDraining;
  double slowMs; // of its region's line
  double bitPerSecond;
  List<Relay> listed = List.of(); // that it has told its devices
  private int toldPercent;

  FleetSnapt(int number, int region, int sessionsMax, double bitPerSecondMax) {
    at = new Snapt("snapt-" + number, "host-" + number, 443);
    this.region = region;
    this.sessionsMax = sessionsMax;
    this.bitPerSecondMax = bitPerSecondMax;
  }

  boolean takes() {
    return isUp && !isDraining && sessions.size() < sessionsMax;
  }

  double queueMs() {
    double used = Math.min(FULLEST, bitPerSecond / bitPerSecondMax);
    return QUEUE_MS * used / (1 - used);
  }

  int loadPercent() {
    int percent = 100 * sessions.size() / sessionsMax;
    if (Math.abs(percent - toldPercent) > LOAD_STEP) {
      toldPercent = percent / LOAD_STEP * LOAD_STEP;
    }
    return toldPercent;
  }

  Relay relay() {
    return Relay.newBuilder()
        .setSnaptId(at.id())
        .setHost(at.host())
        .setControlPort(at.controlPort())
        .setRegion("region-" + region)
        .setState(isDraining ? Relay.State.DRAINING : Relay.State.SERVING)
        .setLoadPercent(loadPercent())
        .build();
  }

  void fail() {
    isUp = false;
    sessions.clear();
    listed = List.of();
    toldPercent = 0;
    bitPerSecond = 0;
  }
}
