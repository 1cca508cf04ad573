package io.viaduct.snapt;

import com.fasterxml.jackson.annotation.JsonCreator;
import java.util.Locale;

/// Whether something is done to the machine: for certain, not at all, or if the machine lets us.
public enum Switch {
  /// If it is possible; the log says whether it was.
  AUTO,
  /// Or the start fails.
  ON,
  /// The operator has done it, or does not want it.
  OFF;

  /// YAML 1.1 reads a bare on or off as a truth value.
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
