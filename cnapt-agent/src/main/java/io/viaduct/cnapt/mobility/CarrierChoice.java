package io.viaduct.cnapt.mobility;

import io.viaduct.tunnel.path.Carrier;

/// Decides whether datagrams are carried by UDP or in the control connection. Owner: the data
/// path's event loop, which passes the time as an argument and calls [#tick] at [#nextTickNs].
///
/// - Change to the control connection: probes were sent by UDP, no authentic datagram arrived by
///   UDP for six round trips (300 ms … 1 s), and the control connection is open. This happens
///   before [PathWatch] reports the path as dead.
/// - While the control connection has not answered either, it is unknown whether only UDP is
///   blocked. UDP is still probed, and its first answer causes an immediate return.
/// - Later return to UDP: all probes by UDP were answered during a hold time of 500 ms. If UDP
///   fails within 30 s of a return, the next hold time doubles, up to 60 s. This prevents flapping.
public final class CarrierChoice {
  /// The action that the owner must take now.
  public enum Decision {
    WAIT,
    /// Send a probe by UDP; its answer may cause the return to UDP.
    PROBE_UDP,
    TO_CONTROL,
    TO_UDP
  }

  static final long PATIENCE_NS_MIN = 300_000_000;
  static final long PATIENCE_NS_MAX = 1_000_000_000;
  static final long HOLD_NS_MIN = 500_000_000;
  static final long HOLD_NS_MAX = 60_000_000_000L;
  static final long FLAP_NS = 30_000_000_000L;
  // UDP is probed once a second while packets are carried, and rarely while the session is idle.
  static final long BUSY_SPACING_NS = 1_000_000_000;
  private static final long RECOVERY_SPACING_NS_MIN = 100_000_000;
  private static final long NEVER = Long.MAX_VALUE;

  private final long silentSpacingNs;
  private boolean controlStands;
  private Carrier carrier = Carrier.UDP;
  private long unansweredSinceNs = NEVER;
  private long roundTripNs;
  private long nextProbeNs = NEVER;
  private long lastSentNs;
  private boolean controlAnswered;
  private boolean probeOut;
  private long answersSinceNs = NEVER;
  private long holdNs = HOLD_NS_MIN;
  private long returnedNs;

  /// @param nowNs start time; the first carrier is UDP
  public CarrierChoice(MobilitySettings settings, long nowNs) {
    silentSpacingNs = settings.silentInterval().toNanos();
    lastSentNs = nowNs - silentSpacingNs;
    returnedNs = nowNs - FLAP_NS;
  }

  /// Returns the carrier of datagrams.
  public Carrier carrier() {
    return carrier;
  }

  /// Records whether the control connection is open. Without it, UDP is the only carrier.
  public void controlStands(boolean stands) {
    controlStands = stands;
    if (!stands) {
      carrier = Carrier.UDP;
      nextProbeNs = NEVER;
    }
  }

  /// Resets the state, because findings about the previous network do not apply to the new one.
  public void networkChanged() {
    unansweredSinceNs = NEVER;
    answersSinceNs = NEVER;
    holdNs = HOLD_NS_MIN;
  }

  /// Records a probe by UDP, while UDP carries the data.
  public void probed(long nowNs) {
    if (unansweredSinceNs == NEVER) {
      unansweredSinceNs = nowNs;
    }
  }

  /// Records an authentic datagram by UDP.
  public void heardByUdp(long nowNs) {
    unansweredSinceNs = NEVER;
    if (carrier == Carrier.CONTROL) {
      probeOut = false;
      if (!controlAnswered) {
        answersSinceNs = nowNs;
        nextProbeNs = nowNs;
      } else if (answersSinceNs == NEVER) {
        answersSinceNs = nowNs;
        nextProbeNs = nowNs + recoverySpacingNs();
      }
    }
  }

  /// Records an authentic datagram in the control connection.
  public void heardByControl() {
    controlAnswered = true;
  }

  /// Records a sent packet of the device.
  public void sent(long nowNs) {
    lastSentNs = nowNs;
    if (carrier == Carrier.CONTROL) {
      nextProbeNs = Math.min(nextProbeNs, nowNs + BUSY_SPACING_NS);
    }
  }

  /// Sets the smoothed round trip of the newest probes, in ns.
  public void roundTrip(long smoothedNs) {
    roundTripNs = smoothedNs;
  }

  /// Returns the action for this time. When it returns a change of carrier, the change has already
  /// happened.
  public Decision tick(long nowNs) {
    if (nowNs < nextTickNs()) {
      return Decision.WAIT;
    }
    return carrier == Carrier.UDP ? toControl(nowNs) : probeOrReturn(nowNs);
  }

  private Decision toControl(long nowNs) {
    carrier = Carrier.CONTROL;
    holdNs = nowNs - returnedNs < FLAP_NS ? Math.min(2 * holdNs, HOLD_NS_MAX) : HOLD_NS_MIN;
    answersSinceNs = NEVER;
    controlAnswered = false;
    probeOut = false;
    nextProbeNs = nowNs + recoverySpacingNs();
    return Decision.TO_CONTROL;
  }

  private Decision probeOrReturn(long nowNs) {
    if (probeOut) {
      answersSinceNs = NEVER;
    }
    if (answersSinceNs != NEVER && (!controlAnswered || nowNs - answersSinceNs >= holdNs)) {
      carrier = Carrier.UDP;
      unansweredSinceNs = NEVER;
      answersSinceNs = NEVER;
      nextProbeNs = NEVER;
      returnedNs = nowNs;
      return Decision.TO_UDP;
    }
    probeOut = true;
    nextProbeNs = nowNs + spacingNs(nowNs);
    return Decision.PROBE_UDP;
  }

  private long spacingNs(long nowNs) {
    if (!controlAnswered || answersSinceNs != NEVER) {
      return recoverySpacingNs();
    }
    return nowNs - lastSentNs < 2 * BUSY_SPACING_NS ? BUSY_SPACING_NS : silentSpacingNs;
  }

  private long recoverySpacingNs() {
    return Math.max(RECOVERY_SPACING_NS_MIN, 2 * roundTripNs);
  }

  /// Returns the time of the next decision of [#tick].
  public long nextTickNs() {
    if (carrier == Carrier.CONTROL) {
      return nextProbeNs;
    }
    return controlStands && unansweredSinceNs != NEVER
        ? unansweredSinceNs + Math.clamp(6 * roundTripNs, PATIENCE_NS_MIN, PATIENCE_NS_MAX)
        : NEVER;
  }
}
