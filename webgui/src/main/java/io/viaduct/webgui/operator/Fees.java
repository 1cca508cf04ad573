package io.viaduct.webgui.operator;

import io.viaduct.webgui.billing.MicroDenarii;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What an owner of SNAPTs has earned, by day and SNAPT.
///
/// @param earnedMicrodenarii all of it until now
/// @param next cursor of the following page, null on the last page
public record Fees(
    String owner, MicroDenarii earnedMicrodenarii, List<DayFee> fees, @Nullable String next) {
  public Fees {
    Objects.requireNonNull(owner);
    Objects.requireNonNull(earnedMicrodenarii);
    fees = List.copyOf(fees);
  }

  /// The fees that one SNAPT has earned on one day (UTC).
  public record DayFee(String day, String snapt, MicroDenarii feeMicrodenarii, long intervals) {}

  /// An enrolled SNAPT of the owner.
  public record OwnSnapt(
      String id, String owner, @Nullable String region, @Nullable Instant enrolledAt) {}
}
