package io.viaduct.webgui.billing;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Sums of an account's charges.
///
/// @param usage one row for each day, class and application that was asked for
public record Usage(List<Sums> usage, Sums total) {
  public Usage {
    usage = List.copyOf(usage);
    Objects.requireNonNull(total);
  }

  /// Returns the largest net amount of a row, micro-denarii: the length of a full bar.
  public long largestNet() {
    return usage.stream().mapToLong(row -> row.netMicrodenarii().value()).max().orElse(0);
  }

  /// @param day in the zone that was asked for, null if the sums are not taken by day; likewise
  ///   below
  /// @param hour its beginning
  public record Sums(
      @Nullable String day,
      @Nullable Instant hour,
      @Nullable String serviceClass,
      @Nullable String application,
      @Nullable String device,
      long charges,
      long preBytes,
      long postBytes,
      long savedBytes,
      long durationMs,
      MicroDenarii chargeMicrodenarii,
      MicroDenarii discountMicrodenarii,
      MicroDenarii netMicrodenarii) {
    public Sums {
      Objects.requireNonNull(chargeMicrodenarii);
      Objects.requireNonNull(discountMicrodenarii);
      Objects.requireNonNull(netMicrodenarii);
    }
  }
}
