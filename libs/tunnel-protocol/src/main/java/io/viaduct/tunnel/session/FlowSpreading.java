package io.viaduct.tunnel.session;

import io.viaduct.tunnel.compound.ControlQueue;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.SpreadState;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.wire.ServiceClass;
import org.jspecify.annotations.Nullable;

/// Spreads one TCP or UDP flow over all paths: each packet takes the path by which it is expected
/// to arrive first, by what waits for the path, its rate and its delay (seed 002 section 3.4). The
/// receiver puts the packets in order: those of TCP by its sequence numbers, those of UDP by the
/// numbers that they have while the flow is spread ([FlowState#takeNumber]).
///
/// - A flow is spread if it has at least half of its path's rate while that path is full and
///   another one is not: no other path would be enough for it alone. The receiver is told 100 ms
///   before the first packet takes another path, and then twice a second.
/// - At most as many flows are spread as the receiver puts in order ([SpreadSlots]). Further ones
///   move instead.
/// - It is no longer spread when all its packets have taken one path for 2 s, and that path was
///   never full: one path is enough. While it is full, TCP is on its way to the rate of both.
final class FlowSpreading {
  static final long MEASURED_NS = 250_000_000;
  static final long MEASURED_NS_MAX = 1_000_000_000;
  static final long ANNOUNCED_NS = 100_000_000;
  static final long TELL_NS = 500_000_000;
  static final long ONE_PATH_NS = 2_000_000_000;
  private static final double SHARE_LEAST = 0.5;

  private final SessionPaths paths;
  private final ControlQueue controls;
  private final TunnelLimits limits;
  private @Nullable SpreadSlots slots; // made for the first flow: most sessions spread none

  /// @param limits say the flows that the peer puts in order
  FlowSpreading(SessionPaths paths, ControlQueue controls, TunnelLimits limits) {
    this.paths = paths;
    this.controls = controls;
    this.limits = limits;
  }

  /// Returns whether a flow may be spread.
  boolean mayBe(FlowState flow) {
    return limits.spreads(flow.protocol());
  }

  /// Decides about a flow whose path is full while another one is not.
  ///
  /// @return true if the flow stays on its path, because it is being measured or will be spread;
  ///   false if it is small enough to move
  boolean stays(FlowState flow, SessionPath own, long nowNs) {
    if (!mayBe(flow)) {
      return false;
    }
    SpreadState state = flow.spread();
    long sent = flow.sent().preBytes();
    if (state == null || nowNs - state.measuredFromNs() > MEASURED_NS_MAX) {
      state = state == null ? new SpreadState() : state;
      state.measure(sent, nowNs);
      flow.spread(state);
    }
    if (nowNs - state.measuredFromNs() < MEASURED_NS) {
      return true;
    }
    double share = state.bytesPerSecond(sent, nowNs) / own.pacing.pacer().bytesPerSecond();
    if (share < SHARE_LEAST) {
      flow.spread(null);
      return false;
    }
    if (!takesSlot(flow, nowNs)) {
      flow.spread(null);
      return false;
    }
    state.spread(TELL_NS, nowNs);
    return true;
  }

  /// Spreads a flow because a rule of the device asks for it, unless enough flows are spread.
  void begin(FlowState flow, long nowNs) {
    if (takesSlot(flow, nowNs)) {
      SpreadState state = new SpreadState();
      state.spread(TELL_NS, nowNs);
      flow.spread(state);
    }
  }

  private boolean takesSlot(FlowState flow, long nowNs) {
    SpreadSlots of = slots == null ? new SpreadSlots() : slots;
    slots = of;
    return of.take(flow, nowNs);
  }

  /// Returns the path of a packet of a flow that is spread; null if the flow is not spread any
  /// more.
  ///
  /// @param always true if a rule of the device asks for it
  @Nullable SessionPath pathOf(
      FlowState flow, ServiceClass serviceClass, boolean always, long nowNs) {
    SpreadState state = flow.spread();
    if (state == null || !state.isSpread()) {
      return null;
    }
    SessionPath own = paths.find(flow.path());
    if (paths.usable().length < 2 || !always && nowNs - state.neededNs() > ONE_PATH_NS) {
      flow.spread(null);
      return null;
    }
    if (nowNs - state.toldNs() >= TELL_NS && controls.flowSpread(flow.id(), nowNs)) {
      state.told(nowNs);
      if (slots != null) {
        slots.told(flow, nowNs);
      }
    }
    if (nowNs - state.spreadNs() < ANNOUNCED_NS && own != null && paths.isUsable(own)) {
      return own;
    }
    SessionPath first = firstToArrive(serviceClass, nowNs);
    state.took(first.id, first.isFull(serviceClass, nowNs), nowNs);
    return first;
  }

  private SessionPath firstToArrive(ServiceClass serviceClass, long nowNs) {
    SessionPath first = paths.usable()[0];
    for (SessionPath each : paths.usable()) {
      if (arrivalUs(each, serviceClass, nowNs) < arrivalUs(first, serviceClass, nowNs)) {
        first = each;
      }
    }
    return first;
  }

  private static double arrivalUs(SessionPath path, ServiceClass serviceClass, long nowNs) {
    double arrivalUs = path.delayUs(nowNs) / 2 + path.waitSeconds() * 1e6;
    return path.queues.hasRoom(serviceClass, 0) ? arrivalUs : Double.MAX_VALUE;
  }

  /// Returns the path whose queue decides whether a packet is admitted. A spread flow is too fast
  /// only if it waits on every path. So is one that is being measured: TCP needs seconds to come
  /// back from a packet that is dropped just before.
  SessionPath judge(@Nullable FlowState flow, SessionPath path, ServiceClass of, long nowNs) {
    SpreadState state = flow == null ? null : flow.spread();
    if (state == null || !state.isSpread() && nowNs - state.measuredFromNs() > MEASURED_NS) {
      return path;
    }
    SessionPath least = path;
    for (SessionPath each : paths.usable()) {
      if (each.queues.waitNs(of, nowNs) < least.queues.waitNs(of, nowNs)) {
        least = each;
      }
    }
    return least;
  }
}
