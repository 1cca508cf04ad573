package io.viaduct.snapt.egress;

import com.fasterxml.jackson.annotation.JsonCreator;
import java.util.Locale;

/// A setting for a change to the host: always, never, or if the host allows it.
public enum Switch {
  /// Makes the change if it is possible, and logs the result.
  AUTO,
  /// Makes the change; if it fails, the start fails.
  ON,
  /// Makes no change: the operator has made it, or does not want it.
  OFF;

  /// YAML 1.1 reads a bare `on` or `off` as a boolean, so `true` and `false` are accepted too.
  @JsonCreator
  public static Switch of(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "auto" -> AUTO;
      case "on", "true" -> ON;
      case "off", "false" -> OFF;
      default -> throw new IllegalArgumentException("must be auto, on or off, got '" + text + "'");
    };
  }
}
