package io.viaduct.webgui.billing;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A usage report that billing keeps and has not posted.
///
/// @param reason one word of billing's list of reasons
/// @param detail billing's sentence
/// @param isReceiptOwed true if the device's receipt would post it
/// @param state `held`, `posted` or `discarded`
public record HeldReport(
    String id,
    @Nullable Instant receivedAt,
    @Nullable String reason,
    @Nullable String detail,
    @Nullable String snapt,
    @Nullable String session,
    @Nullable String epoch,
    @Nullable String sequence,
    @Nullable String account,
    @Nullable Instant start,
    @Nullable Instant end,
    long preBytes,
    MicroDenarii chargeMicrodenarii,
    MicroDenarii discountMicrodenarii,
    @JsonProperty("receiptOwed") boolean isReceiptOwed,
    @Nullable String state) {
  public HeldReport {
    Objects.requireNonNull(id);
    Objects.requireNonNull(chargeMicrodenarii);
    Objects.requireNonNull(discountMicrodenarii);
  }

  /// The reason if the pages have a text for it, else null.
  public @Nullable String knownReason() {
    return ReportCause.known(reason);
  }
}
