package io.viaduct.webgui.billing;

import org.jspecify.annotations.Nullable;

/// Which reports a list shows; null or blank takes all.
public record ReportQuery(
    @Nullable String snapt, @Nullable String account, @Nullable String reason) {
  /// Whether anything is left out.
  public boolean narrow() {
    return given(snapt) || given(account) || given(reason);
  }

  private static boolean given(@Nullable String word) {
    return word != null && !word.isBlank();
  }
}
