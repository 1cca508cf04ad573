package io.viaduct.cnapt;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/// Notices that the tunnel reaches no SNAPT: no path answers, and no control connection stands. A
/// path that was found dead is reported at once; a path that is searched after a move, and never
/// answers, is not. Owner: one event loop, which looks every [#PERIOD_MS].
final class ReachWatch {
  static final long PERIOD_MS = 1_000;

  private final BooleanSupplier reaches;
  private final Consumer<Boolean> carries;
  private boolean unreached;

  /// @param reaches returns whether a path answers or a control connection stands
  /// @param carries is told false while the tunnel reaches nothing, and true when that ends
  ReachWatch(BooleanSupplier reaches, Consumer<Boolean> carries) {
    this.reaches = reaches;
    this.carries = carries;
  }

  void look() {
    boolean now = !reaches.getAsBoolean();
    if (now || unreached) {
      carries.accept(!now);
    }
    unreached = now;
  }
}
