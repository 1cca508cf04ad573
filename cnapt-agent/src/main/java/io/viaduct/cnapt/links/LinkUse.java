package io.viaduct.cnapt.links;

import java.util.Locale;

/// The use that a rule allows a link: `yes`, `spare` or `no`.
public enum LinkUse {
  /// Carries traffic.
  YES,
  /// Is kept ready, and carries traffic only while the other links do not.
  SPARE,
  /// Is never used.
  NO;

  /// Parses a value of the key `use`. A YAML parser may have made a boolean of `yes` or `no`.
  public static LinkUse of(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "yes", "true" -> YES;
      case "spare" -> SPARE;
      case "no", "false" -> NO;
      default ->
          throw new IllegalArgumentException("use must be yes, spare or no, got '" + text + "'");
    };
  }
}
