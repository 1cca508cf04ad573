package io.viaduct.webgui.billing;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A usage report that billing did not book, kept for the operator.
///
/// @param reason one word of billing's list of reasons
/// @param detail billing's sentence
public record RefusedReport(
    @Nullable Instant receivedAt,
    @Nullable String reason,
    @Nullable String detail,
    @Nullable String snapt,
    @Nullable String session,
    @Nullable String epoch,
    @Nullable String sequence,
    @Nullable String account) {
  /// The reason if the pages have a text for it, else null.
  public @Nullable String knownReason() {
    return ReportCause.known(reason);
  }
}
