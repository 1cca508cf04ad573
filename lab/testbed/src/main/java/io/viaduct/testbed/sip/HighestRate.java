package io.viaduct.testbed.sip;

import java.util.Locale;

/// Searches the highest rate that a server carries cleanly: in growing steps until it does not, and
/// then between the last two. An unclean step is tried once more, because another program may have
/// had the processor.
final class HighestRate {
  private static final int FIRST = 400;
  private static final double GROWTH = 1.5;
  private static final int HALVINGS = 3;
  private static final int MOST = 60_000;

  /// Loads the server at a rate.
  interface Step {
    SippResult at(int rate) throws Exception;
  }

  private HighestRate() {}

  /// Returns the result at the highest clean rate.
  ///
  /// @throws IllegalStateException if not even the first rate is clean
  static SippResult of(String name, Step step) throws Exception {
    SippResult best = null;
    int dirty = MOST;
    for (int rate = FIRST; rate < MOST; rate = (int) (rate * GROWTH)) {
      SippResult found = attempt(name, step, rate);
      if (!found.isClean()) {
        dirty = rate;
        break;
      }
      best = found;
    }
    if (best == null) {
      throw new IllegalStateException(
          name + " carries not even " + FIRST + " exchanges per second");
    }
    for (int i = 0; i < HALVINGS; i++) {
      SippResult found = attempt(name, step, (best.rate() + dirty) / 2);
      if (found.isClean()) {
        best = found;
      } else {
        dirty = found.rate();
      }
    }
    return best;
  }

  private static SippResult attempt(String name, Step step, int rate) throws Exception {
    SippResult found = step.at(rate);
    found = found.isClean() ? found : step.at(rate);
    System.err.printf(
        Locale.ROOT,
        "%s: %d/s: %d failed, %d sent again, p99 %.0f ms%n",
        name,
        rate,
        found.failed(),
        found.retransmissions(),
        found.p99Ms());
    return found;
  }
}
