package io.viaduct.cnapt.links;

import org.jspecify.annotations.Nullable;

/// Decides from the readings of one wireless link, one per second, whether its signal is weak. Two
/// readings below the threshold make it weak. Five readings of at least 6 dB above it make it
/// strong again, so that a device at the edge of a cell does not move back and forth.
final class WeakSignal {
  static final int WEAK_READINGS = 2;
  static final int STRONG_READINGS = 5;
  static final int MARGIN_DB = 6;

  private int contrary; // readings in a row that speak against the present state
  private @Nullable Integer weakDbm;

  /// Takes a reading.
  ///
  /// @param dBm signal strength
  /// @param belowDbm threshold of the link's rule
  void reading(int dBm, int belowDbm) {
    Integer weak = weakDbm;
    boolean against = weak == null ? dBm < belowDbm : dBm >= belowDbm + MARGIN_DB;
    contrary = against ? contrary + 1 : 0;
    if (weak == null && contrary == WEAK_READINGS) {
      weakDbm = dBm;
      contrary = 0;
    } else if (weak != null && contrary == STRONG_READINGS) {
      weakDbm = null;
      contrary = 0;
    }
  }

  /// Returns the reading that made the signal weak; null while it is strong.
  @Nullable Integer weakDbm() {
    return weakDbm;
  }
}
