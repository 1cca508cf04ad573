package io.viaduct.cnapt.control;

import java.util.IdentityHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Keeps the control clients of one device from connecting to the same SNAPT: a SNAPT has one
/// session per device key, and would end the earlier one. Owner: the control loop.
public final class SnaptClaims {
  private final Map<Candidates, Snapt> held = new IdentityHashMap<>();
  private @Nullable SnaptWatch watch;

  /// Claims a SNAPT in place of the one that this list had.
  ///
  /// @return false if another list has it; the former claim then stays
  boolean claim(Candidates by, Snapt snapt) {
    for (Map.Entry<Candidates, Snapt> each : held.entrySet()) {
      if (each.getKey() != by && each.getValue().isSameProcess(snapt)) {
        return false;
      }
    }
    held.put(by, snapt);
    return true;
  }

  /// Returns whether a list has the SNAPT.
  boolean isHeld(Snapt snapt) {
    return held.values().stream().anyMatch(snapt::isSameProcess);
  }

  /// Sets what measures the SNAPTs that no list has.
  public void measuredBy(SnaptWatch measuring) {
    watch = measuring;
  }

  /// Returns the measured round trip to a SNAPT in ms; NaN if it is not known.
  double roundTripMs(Snapt snapt) {
    SnaptWatch measuring = watch;
    return measuring == null ? Double.NaN : measuring.roundTripMs(snapt);
  }

  /// Gives up the claim of a list.
  void release(Candidates by) {
    held.remove(by);
  }
}
