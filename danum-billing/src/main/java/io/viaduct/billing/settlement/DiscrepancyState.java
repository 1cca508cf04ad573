package io.viaduct.billing.settlement;

import java.util.Locale;
import java.util.Set;

/// The states of a discrepancy between the counts of a device and a SNAPT. A trigger on the table
/// enforces the same transitions.
///
/// ```text
///   OPEN ──▶ INVESTIGATED ──▶ CLOSED
///     └──────────────────────────▲
/// ```
public enum DiscrepancyState {
  /// No operator has looked at it.
  OPEN,
  /// An operator looks at it.
  INVESTIGATED,
  /// An operator has explained it.
  CLOSED;

  /// Returns the states that may follow this one.
  public Set<DiscrepancyState> next() {
    return switch (this) {
      case OPEN -> Set.of(INVESTIGATED, CLOSED);
      case INVESTIGATED -> Set.of(CLOSED);
      case CLOSED -> Set.of();
    };
  }

  /// Returns the name that the interfaces use.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
