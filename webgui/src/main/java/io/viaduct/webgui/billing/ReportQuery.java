package io.viaduct.webgui.billing;

import org.jspecify.annotations.Nullable;

/// The filter of a list of reports; null or blank takes all.
public record ReportQuery(
    @Nullable String snapt, @Nullable String account, @Nullable String reason) {
  /// Returns true if the filter leaves anything out.
  public boolean isNarrowed() {
    return isGiven(snapt) || isGiven(account) || isGiven(reason);
  }

  private static boolean isGiven(@Nullable String word) {
    return word != null && !word.isBlank();
  }
}
