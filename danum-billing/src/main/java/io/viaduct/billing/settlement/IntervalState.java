package io.viaduct.billing.settlement;

import java.util.Locale;
import java.util.Set;

/// Where a charging interval is in its life. The same moves are enforced by a trigger on the table.
///
/// ```text
///   SNAPT's report                  device's receipt,          grace time over
///   without receipt                 or the operator accepts
///        │                                 │                          │
///   PROVISIONAL ─┬─ came in time ──────▶ CORRECTED ───────────────▶ FINAL
///                ├─ came late ─────────▶ ADJUSTED
///                └─ the operator voids ▶ VOID
/// ```
///
/// A report that comes with its receipt, or owes none, is born CORRECTED, or ADJUSTED after the
/// grace time. The money of an interval is posted when it is born; VOID posts it back.
public enum IntervalState {
  /// Posted, and not signed by the device: never settled.
  PROVISIONAL,
  /// Posted and signed, not settled yet.
  CORRECTED,
  /// Settled.
  FINAL,
  /// Posted after the grace time, against the operator's account for adjustments.
  ADJUSTED,
  /// Posted unsigned and posted back by an operator.
  VOID;

  /// The states that this one may be followed by.
  public Set<IntervalState> next() {
    return switch (this) {
      case PROVISIONAL -> Set.of(CORRECTED, ADJUSTED, VOID);
      case CORRECTED -> Set.of(FINAL);
      case FINAL, ADJUSTED, VOID -> Set.of();
    };
  }

  /// As the interfaces write it.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
