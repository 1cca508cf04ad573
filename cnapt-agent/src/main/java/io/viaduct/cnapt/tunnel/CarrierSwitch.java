package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBufAllocator;
import io.viaduct.cnapt.mobility.CarrierChoice;
import io.viaduct.cnapt.mobility.MobilitySettings;
import io.viaduct.cnapt.mobility.PathWatch;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.session.ControlLine;
import io.viaduct.tunnel.session.TunnelSession;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// Carries out what [CarrierChoice] decides: which carrier the session uses, which probes leave by
/// UDP meanwhile, what the listener is told. Owner: the data path's event loop.
final class CarrierSwitch {
  // The SNAPT has not heard that UDP is used again: it is told once per round trip of most paths.
  private static final long REMINDER_SPACING_NS = 50_000_000;
  // A control connection that carries data and says nothing for so long must be made again.
  private static final long CONTROL_SILENCE_NS_MAX = 3_000_000_000L;
  private static final long NEVER = Long.MAX_VALUE;

  private final Executor loop;
  private final Runnable drain;
  private final PathWatch watch;
  private final CarrierChoice choice;
  private final UdpSink udp;
  private final DataPathListener listener;
  private @Nullable TunnelSession session;
  private long heardNs;
  private long changedNs;
  private long remindedNs;
  private long silenceEndsNs = NEVER;
  private boolean changing;

  /// @param drain run when the control connection takes more again
  CarrierSwitch(
      Executor loop,
      Runnable drain,
      MobilitySettings mobility,
      PathWatch watch,
      UdpSink udp,
      DataPathListener listener,
      long nowNs) {
    this.loop = loop;
    this.drain = drain;
    this.watch = watch;
    this.choice = new CarrierChoice(mobility, nowNs);
    this.udp = udp;
    this.listener = listener;
  }

  Carrier carrier() {
    return choice.carrier();
  }

  /// A new session begins, with UDP.
  void begin(TunnelSession begun, long nowNs) {
    controlLost(nowNs);
    session = begun;
    heardNs = nowNs;
    choice.networkChanged();
  }

  /// The session's control connection stands.
  void control(ControlLine.Connection connection, long nowNs) {
    controlLost(nowNs);
    TunnelSession of = session;
    if (of != null) {
      of.control(new ControlLine(connection, ByteBufAllocator.DEFAULT, loop, drain));
      choice.controlStands(true);
    }
  }

  /// It stands no more.
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

  /// A packet of the device has left.
  void sent(long nowNs) {
    choice.sent(nowNs);
  }

  /// A probe has left by the carrier of the data.
  void probed(long nowNs) {
    if (choice.carrier() == Carrier.UDP) {
      choice.probed(nowNs);
    }
  }

  /// A probe by the carrier of the data was answered.
  void roundTrip(long smoothedNs) {
    choice.roundTrip(smoothedNs);
  }

  /// Something authentic has come.
  ///
  /// @param data whether it was DATA: the SNAPT uses this carrier
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
      case PROBE_UDP -> of.probe(Carrier.UDP, nowNs);
      case TO_CONTROL -> {
        udp.giveUp();
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
    watch.networkChanged(nowNs);
    listener.carrierChanged(to, nowNs - heardNs);
  }

  /// When [#tick] has something to do next.
  long nextTickNs() {
    return session == null ? NEVER : Math.min(choice.nextTickNs(), silenceEndsNs);
  }
}
