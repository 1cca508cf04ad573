package io.viaduct.cnapt.policy;

import com.fasterxml.jackson.annotation.JsonCreator;

/// The treatment of a new flow whose class no SNAPT meets.
public enum Unmet {
  /// The SNAPT with the least cost carries it.
  BEST_EFFORT,
  /// The application is told at once that it cannot be carried.
  REFUSE;

  @JsonCreator
  static Unmet of(String text) {
    return switch (text) {
      case "best-effort" -> BEST_EFFORT;
      case "refuse" -> REFUSE;
      default ->
          throw new IllegalArgumentException(
              "unmet must be best-effort or refuse, got '" + text + "'");
    };
  }
}
