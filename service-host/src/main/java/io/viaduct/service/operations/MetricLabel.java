package io.viaduct.service.operations;

import java.util.Locale;

/// Spells the value of a metric's label: an enum's name in lower case, everywhere.
public final class MetricLabel {
  private MetricLabel() {}

  /// Returns the label of an outcome, such as `bad_tag` for `BAD_TAG`.
  public static String of(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
