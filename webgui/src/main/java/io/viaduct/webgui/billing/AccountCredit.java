package io.viaduct.webgui.billing;

import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Credit of an account.
///
/// @param refused why new traffic is refused now, see [#knownRefused]
/// @param block the operator's block; null while there is none
/// @param limitMicrodenarii how far the balance may go below zero
/// @param ratePerHourMicrodenarii present rate per hour; null from billing of the version before
/// @param lastsSeconds how long the credit lasts at the present rate, null without one
/// @param lowMicrodenarii credit below which the user is told, null for the operator's threshold
public record AccountCredit(
    @Nullable String state,
    @Nullable String refused,
    @Nullable Block block,
    MicroDenarii balanceMicrodenarii,
    MicroDenarii limitMicrodenarii,
    MicroDenarii reservedMicrodenarii,
    MicroDenarii availableMicrodenarii,
    Caps caps,
    MicroDenarii spentLastHourMicrodenarii,
    @Nullable MicroDenarii ratePerHourMicrodenarii,
    @Nullable Long lastsSeconds,
    @Nullable MicroDenarii lowMicrodenarii) {
  private static final long SECOND_MS = 1000;
  private static final Set<String> REFUSALS =
      Set.of("credit", "cap-day", "cap-month", "blocked", "suspended", "closed");

  public AccountCredit {
    Objects.requireNonNull(balanceMicrodenarii);
    Objects.requireNonNull(limitMicrodenarii);
    Objects.requireNonNull(reservedMicrodenarii);
    Objects.requireNonNull(availableMicrodenarii);
    Objects.requireNonNull(caps);
    Objects.requireNonNull(spentLastHourMicrodenarii);
  }

  /// `sufficient`, `low` or `exhausted`; the first for a word of a later version.
  public String knownState() {
    return known(state);
  }

  static String known(@Nullable String state) {
    String word = String.valueOf(state).toLowerCase(Locale.ROOT);
    return Set.of("low", "exhausted").contains(word) ? word : "sufficient";
  }

  /// Returns why new traffic is refused: `credit`, `cap-day`, `cap-month`, `blocked`, `suspended`
  /// or `closed`; `none` if it is not, and for a word of a later version.
  public String knownRefused() {
    String word = String.valueOf(refused);
    return REFUSALS.contains(word) ? word : "none";
  }

  /// Returns the present rate per hour.
  public MicroDenarii ratePerHour() {
    return ratePerHourMicrodenarii == null ? spentLastHourMicrodenarii : ratePerHourMicrodenarii;
  }

  /// Time for which the credit lasts at the present rate, milliseconds; null without one.
  public @Nullable Long lastsMs() {
    return lastsSeconds == null ? null : lastsSeconds * SECOND_MS;
  }

  /// The decision of an operator to block the account.
  public record Block(@Nullable String reason, @Nullable String decidedBy, Instant decidedAt) {
    public Block {
      Objects.requireNonNull(decidedAt);
    }
  }

  /// Caps that the user has set, null without one, and what was spent of them (UTC).
  public record Caps(
      @Nullable MicroDenarii dayMicrodenarii,
      @Nullable MicroDenarii monthMicrodenarii,
      MicroDenarii spentTodayMicrodenarii,
      MicroDenarii spentThisMonthMicrodenarii) {
    public Caps {
      Objects.requireNonNull(spentTodayMicrodenarii);
      Objects.requireNonNull(spentThisMonthMicrodenarii);
    }
  }
}
