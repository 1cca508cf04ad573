package io.viaduct.webgui.billing;

import org.jspecify.annotations.Nullable;

/// The filter of a list of reports; null or blank takes all.
public record ReportQuery(
    @Nullable String snapt, @Nullable String account, @Nullable String reason) {
  /// Returns true if the filter leaves anything out.
  public boolean narrow() {
    return given(snapt) || given(account) || given(reason);
  }

  private static boolean given(@Nullable String word) {
    return word != null && !word.isBlank();
  }
}
