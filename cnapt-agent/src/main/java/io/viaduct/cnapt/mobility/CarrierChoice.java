package io.viaduct.cnapt.mobility;

import io.viaduct.tunnel.path.Carrier;

/// Decides whether datagrams travel by UDP or in the control connection. Owner: the data path's
/// event loop, which passes the time in and asks [#tick] until [#nextTickNs].
///
/// - To the control connection: probes went out by UDP, nothing authentic came back by UDP for six
///   round trips (300 ms … 1 s), and the control connection stands. It comes before [PathWatch]
///   calls the path dead.
/// - While the control connection has not answered either, nothing says that UDP alone is blocked:
///   UDP is probed on, and its first answer leads back at once.
/// - Later, back to UDP: probes by UDP were answered one after the other for a hold of 500 ms. If
///   UDP fails within 30 s after a return, the next hold is twice as long, up to 60 s: no flapping.
public final class CarrierChoice {
  /// What the owner shall do now.
  public enum Decision {
    WAIT,
    /// Send a probe by UDP, whose answer may lead back.
    PROBE_UDP,
    TO_CONTROL,
    TO_UDP
  }

  static final long PATIENCE_NS_MIN = 300_000_000;
  static final long PATIENCE_NS_MAX = 1_000_000_000;
  static final long HOLD_NS_MIN = 500_000_000;
  static final long HOLD_NS_MAX = 60_000_000_000L;
  static final long FLAP_NS = 30_000_000_000L;
  // UDP is tried once a second while there is something to carry, seldom in silence.
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

  /// @param nowNs when choosing begins, with UDP
  public CarrierChoice(MobilitySettings settings, long nowNs) {
    silentSpacingNs = settings.silentInterval().toNanos();
    lastSentNs = nowNs - silentSpacingNs;
    returnedNs = nowNs - FLAP_NS;
  }

  /// What datagrams travel by.
  public Carrier carrier() {
    return carrier;
  }

  /// The control connection stands, or is gone: then there is only UDP.
  public void controlStands(boolean stands) {
    controlStands = stands;
    if (!stands) {
      carrier = Carrier.UDP;
      nextProbeNs = NEVER;
    }
  }

  /// The network is another one: what was learnt of the one before says nothing.
  public void networkChanged() {
    unansweredSinceNs = NEVER;
    answersSinceNs = NEVER;
    holdNs = HOLD_NS_MIN;
  }

  /// A probe has left by UDP, the carrier of the data.
  public void probed(long nowNs) {
    if (unansweredSinceNs == NEVER) {
      unansweredSinceNs = nowNs;
    }
  }

  /// Something authentic has come by UDP.
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

  /// Something authentic has come by the control connection.
  public void heardByControl() {
    controlAnswered = true;
  }

  /// A packet of the device has left.
  public void sent(long nowNs) {
    lastSentNs = nowNs;
    if (carrier == Carrier.CONTROL) {
      nextProbeNs = Math.min(nextProbeNs, nowNs + BUSY_SPACING_NS);
    }
  }

  /// How long an answer takes, as the newest probes say.
  public void roundTrip(long smoothedNs) {
    roundTripNs = smoothedNs;
  }

  /// What is to be done at this time; a change has happened when this returns it.
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

  /// When [#tick] has something to decide next.
  public long nextTickNs() {
    if (carrier == Carrier.CONTROL) {
      return nextProbeNs;
    }
    return controlStands && unansweredSinceNs != NEVER
        ? unansweredSinceNs + Math.clamp(6 * roundTripNs, PATIENCE_NS_MIN, PATIENCE_NS_MAX)
        : NEVER;
  }
}
