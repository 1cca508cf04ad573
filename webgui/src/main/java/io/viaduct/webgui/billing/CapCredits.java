package io.viaduct.webgui.billing;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Payments above the cap of an hour or a day that an account got back, newest first.
///
/// @param next cursor of the page of older ones, null on the last page
public record CapCredits(List<CapCredit> capCredits, @Nullable String next) {
  public CapCredits {
    capCredits = List.copyOf(capCredits);
  }

  /// A credit.
  ///
  /// @param application whose hour was above its cap; null for a day of the account
  /// @param begin start of the hour or day (UTC)
  /// @param paidMicrodenarii what the account had paid in that time
  /// @param amountMicrodenarii what was given back; negative if a re-rating took a part of it back
  /// @param postedAt null if its month was dropped
  public record CapCredit(
      String transaction,
      @Nullable String application,
      Instant begin,
      MicroDenarii paidMicrodenarii,
      MicroDenarii limitMicrodenarii,
      MicroDenarii amountMicrodenarii,
      @Nullable Instant postedAt) {
    public CapCredit {
      Objects.requireNonNull(transaction);
      Objects.requireNonNull(begin);
      Objects.requireNonNull(paidMicrodenarii);
      Objects.requireNonNull(limitMicrodenarii);
      Objects.requireNonNull(amountMicrodenarii);
    }

    /// True if the sum is still above the cap; a re-rating may have brought it below.
    public boolean isAboveCap() {
      return paidMicrodenarii.value() > limitMicrodenarii.value();
    }

    /// The UTC day that the cap is for.
    public LocalDate day() {
      return LocalDate.ofInstant(begin, ZoneOffset.UTC);
    }
  }
}
