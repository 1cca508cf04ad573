package io.viaduct.cnapt;

import io.viaduct.cnapt.control.SimulatedLists;
import io.viaduct.cnapt.control.Snapt;
import io.viaduct.cnapt.snapts.LineLoad;
import io.viaduct.cnapt.snapts.SnaptFacts;
import io.viaduct.cnapt.snapts.SnaptPrices;
import org.jspecify.annotations.Nullable;

/// One line of a simulated device. Which SNAPT it takes, and when it leaves one, is decided by the
/// real code; this class only lets the answers arrive, as `ControlClient` and `SnaptLine` do.
final class FleetLine implements NearerSnapts.Line {
  private static final int ROUND_TRIPS = 3; // TCP, TLS, Welcome
  private static final double SILENCE_MS = 300;
  private static final double IDLE_SILENCE_MS = 25_000; // between two keep-alives

  final FleetDevice device;
  final SimulatedLists.Line list;
  private final Fleet fleet;
  @Nullable FleetSnapt used;
  boolean isSilent;
  int flows;
  int epoch; // another one after each loss of its flows
  double bitPerSecond;
  private boolean isTrying;
  private boolean isMoving;
  private @Nullable Snapt sought;
  private Runnable refuses = () -> {};

  FleetLine(Fleet fleet, FleetDevice device, SimulatedLists.Line list) {
    this.fleet = fleet;
    this.device = device;
    this.list = list;
  }

  // --- connecting

  void connect() {
    if (isTrying || isMoving || used != null && !isSilent) {
      return;
    }
    Snapt to = list.dial();
    if (to != null) {
      isTrying = true;
      ask(fleet.snapt(to), this::answered);
    }
  }

  private interface Answer {
    void take(FleetSnapt by, boolean welcomed);
  }

  private void ask(FleetSnapt whom, Answer then) {
    double ms =
        whom.isUp
            ? ROUND_TRIPS * device.roundTripMs(whom)
            : SimulatedLists.SETTINGS.connectTimeout().toMillis();
    fleet.clock.after(ms, () -> then.take(whom, whom.takes()));
  }

  private void answered(FleetSnapt by, boolean welcomed) {
    isTrying = false;
    if (welcomed) {
      take(by);
    } else {
      list.failed(by.isUp, fleet.clock.nowNs());
      fleet.clock.after(list.pauseMs(fleet.clock.nowNs()), this::connect);
      device.free(this);
    }
  }

  private void take(FleetSnapt by) {
    FleetSnapt before = used;
    list.succeeded(by.at);
    isSilent = false;
    sought = null;
    if (before != by) {
      loseFlows();
      if (before != null) {
        before.sessions.remove(this);
        fleet.moved(this, before, by);
      }
      used = by;
    }
    by.sessions.add(this);
    if (!by.listed.isEmpty()) {
      device.told(by);
    }
    device.free(this);
  }

  private void loseFlows() {
    fleet.reset(flows);
    flows = 0;
    bitPerSecond = 0;
    epoch++;
  }

  /// Its SNAPT has died: it notices that soon if packets are under way.
  void lost() {
    double ms = flows > 0 ? SILENCE_MS : fleet.random.nextDouble(IDLE_SILENCE_MS);
    FleetSnapt dead = used;
    fleet.clock.after(
        ms,
        () -> {
          if (used == dead && !isMoving) {
            isSilent = true;
            connect();
          }
        });
  }

  // --- leaving

  boolean isLeaving() {
    FleetSnapt at = used;
    return sought != null || at != null && at.isDraining;
  }

  /// Leaves if nothing is open, for the SNAPT that is sought or for any other one.
  void leaveIfEmpty() {
    FleetSnapt from = used;
    if (from == null || isMoving || isSilent || flows > 0 || !isLeaving()) {
      return;
    }
    Snapt only = sought;
    if (only == null ? !list.leave() : !list.leaveFor(only)) {
      if (only != null) {
        notTaken();
      }
      return;
    }
    Snapt to = list.current();
    isMoving = true;
    ask(fleet.snapt(to), (by, welcomed) -> moved(by, welcomed, only));
  }

  private void moved(FleetSnapt by, boolean welcomed, @Nullable Snapt only) {
    isMoving = false;
    FleetSnapt from = used;
    if (from == null || !from.isUp) {
      list.stay();
      lost();
    } else if (welcomed && flows == 0 && isLeaving()) {
      take(by);
    } else {
      list.stay();
      if (!welcomed && only != null) {
        notTaken();
      } else {
        fleet.clock.after(list.pauseMs(fleet.clock.nowNs()), this::leaveIfEmpty);
      }
    }
  }

  private void notTaken() {
    sought = null;
    refuses.run();
  }

  // --- as NearerSnapts and LoadSpread see it

  @Override
  public String name() {
    return String.valueOf(snapt());
  }

  @Override
  public @Nullable Snapt snapt() {
    return used == null ? null : used.at;
  }

  @Override
  public boolean isConnected() {
    return used != null && !isSilent;
  }

  @Override
  public double roundTripMs() {
    return used == null ? Double.NaN : device.roundTripMs(used);
  }

  @Override
  public @Nullable Snapt sought() {
    return sought;
  }

  @Override
  public boolean isMoving() {
    return isMoving;
  }

  @Override
  public void seek(Snapt nearer, Runnable whenRefused) {
    sought = nearer;
    refuses = whenRefused;
    leaveIfEmpty();
  }

  @Override
  public void stay() {
    sought = null;
  }

  SnaptFacts facts() {
    FleetSnapt at = used;
    if (at == null) {
      return SnaptFacts.unknown("none");
    }
    return new SnaptFacts(
        at.at.id(),
        isSilent
            ? SnaptFacts.State.SILENT
            : isLeaving() ? SnaptFacts.State.LEAVING : SnaptFacts.State.CARRYING,
        device.roundTripMs(at),
        LineLoad.UNKNOWN,
        LineLoad.UNKNOWN,
        bitPerSecond,
        SnaptPrices.NONE,
        Math.max(0, device.lists.order().loadPercent(at.at)) / 100.0);
  }
}
