package io.viaduct.webgui.billing;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The numbers of reports of each SNAPT that were refused, are held or are unsigned.
public record ReportCounts(List<Count> counts) {
  public ReportCounts {
    counts = List.copyOf(counts);
  }

  /// @param what `REFUSED`, `HELD` or `UNSIGNED`
  /// @param reason one word of billing's lists of reasons
  public record Count(
      @Nullable String snapt, @Nullable String what, @Nullable String reason, long reports) {
    /// The reason if the pages have a text for it, else null.
    public @Nullable String knownReason() {
      return ReportCause.known(reason);
    }
  }
}
