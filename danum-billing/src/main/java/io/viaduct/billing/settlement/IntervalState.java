package io.viaduct.billing.settlement;

import java.util.Locale;
import java.util.Set;

/// Where a charging interval is in its life. The same moves are enforced by a trigger on the table.
///
/// ```text
///   client's report          SNAPT's report            grace time over
///        │                         │                          │
///   PROVISIONAL ──────────────▶ CORRECTED ────────────────▶ FINAL
///        └── grace time over ─▶ FINAL_PROVISIONAL ── SNAPT's report, late ──▶ ADJUSTED
///                                   nothing known ── SNAPT's report, late ──▶ ADJUSTED
/// ```
///
/// This version takes reports of SNAPTs only: intervals are born CORRECTED or ADJUSTED.
public enum IntervalState {
  PROVISIONAL,
  CORRECTED,
  FINAL,
  FINAL_PROVISIONAL,
  ADJUSTED;

  /// The states that this one may be followed by.
  public Set<IntervalState> next() {
    return switch (this) {
      case PROVISIONAL -> Set.of(CORRECTED, FINAL_PROVISIONAL);
      case CORRECTED -> Set.of(FINAL);
      case FINAL_PROVISIONAL -> Set.of(ADJUSTED);
      case FINAL, ADJUSTED -> Set.of();
    };
  }

  /// As the interfaces write it.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
