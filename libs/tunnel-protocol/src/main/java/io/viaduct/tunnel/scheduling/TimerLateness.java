package io.viaduct.tunnel.scheduling;

/// Estimates the lateness of a loop's timers: a bound that 98 of the latest 100 timers kept.
///
/// Uses stochastic approximation (Robbins and Monro, 1951): a timer later than the bound raises it
/// by 49 steps, any other lowers it by one step. Code that promises a deadline sets its timer
/// earlier by this bound.
public final class TimerLateness {
  /// Largest bound, ns.
  static final long BOUND_NS_MAX = 2_000_000;

  private static final int UP = 49;
  private static final long STEP_NS = 4_000;

  private long boundNs;

  /// Takes the lateness of a timer that has fired. @param lateNs time since its deadline, at least
  /// 0
  public void fired(long lateNs) {
    boundNs =
        lateNs > boundNs
            ? Math.min(BOUND_NS_MAX, boundNs + UP * STEP_NS)
            : Math.max(0, boundNs - STEP_NS);
  }

  public long boundNs() {
    return boundNs;
  }

  /// Returns the bound in seconds, for a gauge. Any thread may call it; the value may be out of
  /// date.
  public double boundSeconds() {
    return boundNs / 1e9;
  }
}
