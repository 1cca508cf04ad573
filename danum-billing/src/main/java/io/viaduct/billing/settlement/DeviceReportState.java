package io.viaduct.billing.settlement;

import java.util.Locale;
import java.util.Set;

/// The states of a device's report of an interval (ADR 0062). A trigger on the table enforces the
/// same transitions.
///
/// ```text
///   the device's report        its time is over,           no report of the SNAPT
///   comes first                within the bound            can come any more
///        │                          │                              │
///   PROVISIONAL ─┬────────────▶ FINAL_PROVISIONAL ─┬───────────▶ FINAL
///                │                                 ├─ agrees ───────▲
///                ├─ the SNAPT's report ── agrees ──┼────────────────┤
///                │                     └─ differs ─┴─▶ DISCREPANT   │
///                │                                         ▲        │
///                └─ above the bound ▶ UNCHARGED ─ differs ─┴ agrees ┘
/// ```
///
/// A device's report that comes after the SNAPT's starts as FINAL or DISCREPANT. The SNAPT's report
/// is what counts in each state that it has reached.
public enum DeviceReportState {
  /// The SNAPT's report of the interval has not come. Nothing is charged.
  PROVISIONAL,
  /// The account is charged by the device's report. A late report of the SNAPT replaces the charge.
  FINAL_PROVISIONAL,
  /// Both reports agree, or the SNAPT's can no longer come.
  FINAL,
  /// The SNAPT's report is charged, and differs: an operator investigates.
  DISCREPANT,
  /// Not charged, because the account's charges by device reports alone would exceed their bound,
  /// or the account was not active.
  UNCHARGED;

  /// Smallest difference that is a discrepancy, in bytes: what may be in flight at the end of an
  /// interval.
  static final long DIFFERENCE_BYTES_MAX = 1 << 20;

  /// Smallest difference that is a discrepancy: one part in twenty of the larger count, 5 %.
  private static final int PARTS = 20;

  /// Returns the states that may follow this one.
  public Set<DeviceReportState> next() {
    return switch (this) {
      case PROVISIONAL -> Set.of(FINAL_PROVISIONAL, FINAL, DISCREPANT, UNCHARGED);
      case FINAL_PROVISIONAL, UNCHARGED -> Set.of(FINAL, DISCREPANT);
      case FINAL, DISCREPANT -> Set.of();
    };
  }

  /// Returns the state once both reports are there.
  ///
  /// @param snaptBytes inner bytes of both directions in the SNAPT's report
  /// @param deviceBytes likewise, in the device's
  static DeviceReportState compared(long snaptBytes, long deviceBytes) {
    long difference = Math.abs(snaptBytes - deviceBytes);
    return difference > DIFFERENCE_BYTES_MAX
            && difference > Math.max(snaptBytes, deviceBytes) / PARTS
        ? DISCREPANT
        : FINAL;
  }

  /// Returns the state once the time for the SNAPT's report is over.
  ///
  /// @param isChargeable true if the account may be charged by the device's report
  static DeviceReportState unanswered(boolean isChargeable) {
    return isChargeable ? FINAL_PROVISIONAL : UNCHARGED;
  }

  /// Returns the name that the interfaces use.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
