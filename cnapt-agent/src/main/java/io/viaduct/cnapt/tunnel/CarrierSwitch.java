package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBufAllocator;
import io.viaduct.cnapt.mobility.CarrierChoice;
import io.viaduct.cnapt.mobility.MobilitySettings;
import io.viaduct.tunnel.control.ControlLine;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.session.TunnelSession;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// Executes the decisions of [CarrierChoice]: sets the session's carrier, sends probes by UDP, and
/// calls the listener. Owner: the data path's event loop.
final class CarrierSwitch {
  // While the SNAPT does not know that UDP is used again, it gets a reminder once per round trip of
  // most paths.
  private static final long REMINDER_SPACING_NS = 50_000_000;
  // A control connection that carries data and is silent for this long must be renewed.
  private static final long CONTROL_SILENCE_NS_MAX = 3_000_000_000L;
  private static final long NEVER = Long.MAX_VALUE;

  private final Executor loop;
  private final Runnable drain;
  private final CarrierChoice choice;
  private final DevicePaths paths;
  private final DataPathListener listener;
  private @Nullable TunnelSession session;
  private long heardNs;
  private long changedNs;
  private long remindedNs;
  private long silenceEndsNs = NEVER;
  private boolean changing;

  /// @param drain run when the control connection accepts more data
  CarrierSwitch(
      Executor loop,
      Runnable drain,
      MobilitySettings mobility,
      DevicePaths paths,
      DataPathListener listener,
      long nowNs) {
    this.loop = loop;
    this.drain = drain;
    this.choice = new CarrierChoice(mobility, nowNs);
    this.paths = paths;
    this.listener = listener;
  }

  Carrier carrier() {
    return choice.carrier();
  }

  /// Starts a new session, on UDP.
  void begin(TunnelSession begun, long nowNs) {
    controlLost(nowNs);
    session = begun;
    heardNs = nowNs;
    choice.networkChanged();
  }

  /// Sets the session's control connection.
  void control(ControlLine.Connection connection, long nowNs) {
    controlLost(nowNs);
    TunnelSession of = session;
    if (of != null) {
      of.control(new ControlLine(connection, ByteBufAllocator.DEFAULT, loop, drain));
      choice.controlStands(true);
    }
  }

  /// Removes the control connection, because it is lost.
  void controlLost(long nowNs) {
    boolean carried = choice.carrier() == Carrier.CONTROL;
    choice.controlStands(false);
    TunnelSession of = session;
    if (of != null) {
      of.control(null);
      if (carried) {
        changed(Carrier.UDP, nowNs);
      }
    }
  }

  void networkChanged() {
    choice.networkChanged();
  }

  /// Records a sent packet of the device.
  void sent(long nowNs) {
    choice.sent(nowNs);
  }

  /// Records a probe on the carrier of the data.
  void probed(long nowNs) {
    if (choice.carrier() == Carrier.UDP) {
      choice.probed(nowNs);
    }
  }

  /// Records the answer to a probe on the carrier of the data.
  void roundTrip(long smoothedNs) {
    choice.roundTrip(smoothedNs);
  }

  /// Records an authentic datagram.
  ///
  /// @param data true for a DATA datagram, which proves that the SNAPT uses this carrier
  void heard(Carrier by, boolean data, long nowNs) {
    heardNs = nowNs;
    if (by == Carrier.UDP) {
      choice.heardByUdp(nowNs);
    } else {
      choice.heardByControl();
    }
    if (by == choice.carrier()) {
      silenceEndsNs = NEVER;
      if (changing) {
        changing = false;
        listener.carrierResumed(nowNs - changedNs);
      }
    } else if (data && by == Carrier.CONTROL && nowNs - remindedNs >= REMINDER_SPACING_NS) {
      carryBy(Carrier.UDP, nowNs);
    }
  }

  void tick(long nowNs) {
    TunnelSession of = session;
    if (of == null) {
      return;
    }
    switch (choice.tick(nowNs)) {
      case WAIT -> {}
      case PROBE_UDP -> paths.probes().byUdp(nowNs);
      case TO_CONTROL -> {
        paths.bursts().giveUp();
        carryBy(Carrier.CONTROL, nowNs);
        changed(Carrier.CONTROL, nowNs);
      }
      case TO_UDP -> {
        carryBy(Carrier.UDP, nowNs);
        changed(Carrier.UDP, nowNs);
      }
    }
    if (nowNs >= silenceEndsNs) {
      silenceEndsNs = NEVER;
      listener.pathDead();
    }
  }

  private void carryBy(Carrier to, long nowNs) {
    TunnelSession of = session;
    if (of != null) {
      remindedNs = nowNs;
      of.carryBy(to);
    }
  }

  private void changed(Carrier to, long nowNs) {
    changing = true;
    changedNs = nowNs;
    silenceEndsNs = to == Carrier.CONTROL ? nowNs + CONTROL_SILENCE_NS_MAX : NEVER;
    paths.networkChanged(nowNs);
    listener.carrierChanged(to, nowNs - heardNs);
  }

  /// Returns the time of the next action of [#tick].
  long nextTickNs() {
    return session == null ? NEVER : Math.min(choice.nextTickNs(), silenceEndsNs);
  }
}
