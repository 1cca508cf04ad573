package io.viaduct.webgui.operator;

import io.viaduct.webgui.billing.MicroDenarii;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Matters that need an operator now, and the last 24 hours of all accounts.
///
/// @param verification the latest one that has ended; null if there was none
public record Overview(
    Accounts accounts, Waiting waiting, @Nullable VerificationRun verification, List<Hour> hours) {
  private static final double LAG_MAX_S = 120;

  public Overview {
    Objects.requireNonNull(accounts);
    Objects.requireNonNull(waiting);
    hours = List.copyOf(hours);
  }

  /// Numbers of accounts that stand out.
  public record Accounts(
      long suspended, long blocked, long low, long exhausted, long belowZero, long cut) {}

  /// Reports and charges that wait.
  public record Waiting(
      long held,
      long discrepant,
      long unsigned,
      long unsettled,
      @Nullable Double lagSeconds,
      @Nullable Instant latestReportAt) {
    /// Returns true if reports arrive long after the end of their interval.
    public boolean isLate() {
      return lagSeconds != null && lagSeconds > LAG_MAX_S;
    }

    /// The lag, milliseconds; null without a report.
    public @Nullable Double lagMs() {
      return lagSeconds == null ? null : lagSeconds * 1000;
    }
  }

  /// One hour of all accounts.
  public record Hour(
      Instant hour, long charges, long preBytes, long postBytes, MicroDenarii netMicrodenarii) {
    public Hour {
      Objects.requireNonNull(hour);
      Objects.requireNonNull(netMicrodenarii);
    }
  }
}
