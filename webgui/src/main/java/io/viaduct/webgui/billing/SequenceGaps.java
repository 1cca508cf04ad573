package io.viaduct.webgui.billing;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reports that a SNAPT must have made and that billing has not got yet.
///
/// @param next cursor of the following page, null on the last page
public record SequenceGaps(List<Gap> gaps, @Nullable String next) {
  public SequenceGaps {
    gaps = List.copyOf(gaps);
  }

  /// @param from first missing sequence number
  /// @param to last missing sequence number
  /// @param seenAt when the report after the gap came
  public record Gap(
      @Nullable String snapt,
      @Nullable String session,
      @Nullable String epoch,
      long from,
      long to,
      @Nullable String account,
      @Nullable Instant seenAt) {}
}
