package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.snapts.Missed;

/// The reasons for which this device refuses a flow; each value is a counter.
public enum FlowRefusal {
  /// No SNAPT meets the delay of its class, and the configuration asks for a refusal.
  DELAY,
  /// No SNAPT meets the rate of its class, and the configuration asks for a refusal.
  RATE,
  /// Its SNAPT has not come back: the flow had an address there.
  SNAPT_LOST;

  /// Returns the reason of what a SNAPT misses.
  static FlowRefusal of(Missed missed) {
    return switch (missed) {
      case DELAY -> DELAY;
      case RATE -> RATE;
      case NOTHING -> throw new IllegalArgumentException("what misses nothing is not refused");
    };
  }
}
