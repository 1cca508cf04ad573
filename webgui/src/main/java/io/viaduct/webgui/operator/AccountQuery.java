package io.viaduct.webgui.operator;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Search of an operator in the list of accounts; null or blank takes all.
public record AccountQuery(@Nullable String search, @Nullable String state, @Nullable String sort) {
  /// The words for `state` that billing knows.
  public static final List<String> STATES =
      List.of("active", "suspended", "closed", "blocked", "low", "exhausted", "below-zero", "cut");

  /// The words for `sort` that billing knows; the first is the usual order.
  public static final List<String> SORTS =
      List.of("id", "balance", "highest-balance", "spent-today");

  /// Returns true if the query leaves accounts out.
  public boolean isNarrowed() {
    return isGiven(search) || isGiven(state);
  }

  private static boolean isGiven(@Nullable String word) {
    return word != null && !word.isBlank();
  }
}
