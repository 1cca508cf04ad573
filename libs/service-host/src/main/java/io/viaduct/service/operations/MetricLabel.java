package io.viaduct.service.operations;

import java.util.Locale;

/// Makes the value of a metric's label: the name of an enum constant in lower case.
public final class MetricLabel {
  private MetricLabel() {}

  /// Returns the label of an outcome, such as `bad_tag` for `BAD_TAG`.
  public static String of(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
