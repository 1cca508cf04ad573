package io.viaduct.webgui.tariff;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// A difference between two tariffs.
///
/// @param place keys that lead to the value, with points between them
/// @param knot index of the knot, from 0 on; null if the value is in no table
/// @param before null if there was none
/// @param after null if there is none
public record TariffChange(
    @Nullable String place,
    @Nullable Integer knot,
    @Nullable String before,
    @Nullable String after) {
  record All(List<TariffChange> changes) {}

  /// The number of the knot as people count, from 1 on; null if the value is in no table.
  public @Nullable Integer knotNumber() {
    return knot == null ? null : knot + 1;
  }
}
