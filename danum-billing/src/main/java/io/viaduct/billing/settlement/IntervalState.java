package io.viaduct.billing.settlement;

import java.util.Locale;
import java.util.Set;

/// The states of a charging interval. A trigger on the table enforces the same transitions.
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
/// An interval that is billed by its device's report alone has a machine before this one:
///
/// ```text
///   FINAL_PROVISIONAL ─┬─ the SNAPT's report comes ──────────▶ VOID
///                      └─ it can no longer come ─▶ CORRECTED ▶ FINAL
/// ```
///
/// A report with its receipt, or without need for one, starts as CORRECTED; after the grace time it
/// starts as ADJUSTED. The money of an interval is posted with its first state; VOID reverses the
/// posting.
public enum IntervalState {
  /// Posted but not signed by the device. A provisional interval is never settled.
  PROVISIONAL,
  /// Posted and signed, not settled yet.
  CORRECTED,
  /// Settled.
  FINAL,
  /// Posted after the grace time, against the operator's account for adjustments.
  ADJUSTED,
  /// Posted unsigned and reversed by an operator, or posted by the device's report and replaced by
  /// the SNAPT's.
  VOID,
  /// Posted by the device's report alone ([DeviceReportState]).
  FINAL_PROVISIONAL;

  /// Returns the states that may follow this one.
  public Set<IntervalState> next() {
    return switch (this) {
      case PROVISIONAL -> Set.of(CORRECTED, ADJUSTED, VOID);
      case CORRECTED -> Set.of(FINAL);
      case FINAL_PROVISIONAL -> Set.of(CORRECTED, VOID);
      case FINAL, ADJUSTED, VOID -> Set.of();
    };
  }

  /// Returns the name that the interfaces use.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
