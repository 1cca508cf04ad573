package io.viaduct.webgui.operator;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.viaduct.webgui.billing.MicroDenarii;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Share of one application of one session in an account's credit.
///
/// @param isCut true if it got less than it needs
/// @param isEnded true if the session has ended, and some of its use is not charged yet
public record Reservation(
    @Nullable String account,
    @Nullable String snapt,
    @Nullable String session,
    @Nullable String application,
    @Nullable String serviceClass,
    long usedBytes,
    long allowedBytes,
    long coveredBytes,
    double bytesPerSecond,
    MicroDenarii reservedMicrodenarii,
    @Nullable Instant validUntil,
    @JsonProperty("cut") boolean isCut,
    @JsonProperty("ended") boolean isEnded,
    @Nullable Instant heardAt) {
  public Reservation {
    Objects.requireNonNull(reservedMicrodenarii);
  }

  private static final int BITS_PER_BYTE = 8;

  /// The present rate, bit/s.
  public double bitPerSecond() {
    return bytesPerSecond * BITS_PER_BYTE;
  }

  /// Bytes that are carried and not charged yet.
  public long unchargedBytes() {
    return Math.max(0, usedBytes - coveredBytes);
  }
}
