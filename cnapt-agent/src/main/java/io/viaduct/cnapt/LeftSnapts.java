package io.viaduct.cnapt;

import io.viaduct.cnapt.control.Snapt;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Remembers the SNAPTs that a device has left for a better one: none of them is sought again
/// within [#HOLD_NS]. A SNAPT becomes nearer or less loaded because devices have left it, and would
/// get them all back. Owner: the control loop.
final class LeftSnapts {
  static final long HOLD_NS = 1_800_000_000_000L;

  private final Map<Snapt, Long> leftNs = new HashMap<>(); // of the last half hour

  /// Records a SNAPT that is being left, until its last flow is over.
  ///
  /// @param snapt null is ignored
  void leaves(@Nullable Snapt snapt, long nowNs) {
    if (snapt != null) {
      leftNs.values().removeIf(each -> nowNs - each >= HOLD_NS);
      leftNs.put(snapt, nowNs);
    }
  }

  /// Returns whether a SNAPT is not to be sought now.
  boolean has(Snapt snapt, long nowNs) {
    Long at = leftNs.get(snapt);
    return at != null && nowNs - at < HOLD_NS;
  }
}
