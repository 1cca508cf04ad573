package io.viaduct.webgui.billing;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A posted interval that no device has signed.
///
/// @param dueAt from then on an operator may decide
/// @param isDue true from `dueAt` on
/// @param refusal why the device did not sign, in billing's word; null if it did not say
/// @param deviceUpBytes the device's own count of the session then
/// @param deviceDownBytes likewise
/// @param snaptBytes the SNAPT's count of the session until the end of the interval, both
///   directions
/// @param differenceBytes what the SNAPT has counted more than the device
public record UnsignedInterval(
    String id,
    @Nullable String snapt,
    @Nullable String session,
    @Nullable String epoch,
    @Nullable String sequence,
    @Nullable String account,
    @Nullable Instant start,
    @Nullable Instant end,
    @Nullable Instant dueAt,
    @JsonProperty("due") boolean isDue,
    long preBytes,
    MicroDenarii chargeMicrodenarii,
    MicroDenarii discountMicrodenarii,
    @Nullable String refusal,
    @Nullable Long deviceUpBytes,
    @Nullable Long deviceDownBytes,
    @Nullable Long snaptBytes,
    @Nullable Long differenceBytes) {
  public UnsignedInterval {
    Objects.requireNonNull(id);
    Objects.requireNonNull(chargeMicrodenarii);
    Objects.requireNonNull(discountMicrodenarii);
  }
}
