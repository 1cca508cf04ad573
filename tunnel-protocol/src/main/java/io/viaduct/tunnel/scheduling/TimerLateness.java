package io.viaduct.tunnel.scheduling;

/// How late a loop's timers fire, as a bound that 98 of 100 of late stayed below: by stochastic
/// approximation, where one that is later raises the bound by 49 steps and any other lowers it by
/// one (Robbins and Monro, 1951). Who promises to have done something by a deadline asks to be
/// called so much earlier.
public final class TimerLateness {
  /// Nobody is called earlier than that.
  static final long BOUND_NS_MAX = 2_000_000;

  private static final int UP = 49;
  private static final long STEP_NS = 4_000;

  private long boundNs;

  /// A timer has fired. @param lateNs after the time that it was set to, at least 0
  public void fired(long lateNs) {
    boundNs =
        lateNs > boundNs
            ? Math.min(BOUND_NS_MAX, boundNs + UP * STEP_NS)
            : Math.max(0, boundNs - STEP_NS);
  }

  public long boundNs() {
    return boundNs;
  }

  /// The same for a gauge; any thread, which may lag.
  public double boundSeconds() {
    return boundNs / 1e9;
  }
}
