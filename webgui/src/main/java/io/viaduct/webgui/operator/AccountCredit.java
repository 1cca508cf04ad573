package io.viaduct.webgui.operator;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.viaduct.webgui.billing.MicroDenarii;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What an account may spend.
///
/// @param state `sufficient`, `low` or `exhausted`
/// @param isBlocked true while its sessions get no quotas: blocked, suspended or closed
/// @param block the operator's block; null while there is none
/// @param lastsSeconds how long the credit lasts at the rate of the last hour; null without a
///   charge
public record AccountCredit(
    @Nullable String state,
    @JsonProperty("blocked") boolean isBlocked,
    @Nullable Block block,
    MicroDenarii balanceMicrodenarii,
    MicroDenarii limitMicrodenarii,
    MicroDenarii reservedMicrodenarii,
    MicroDenarii availableMicrodenarii,
    Caps caps,
    MicroDenarii spentLastHourMicrodenarii,
    @Nullable Long lastsSeconds) {
  public AccountCredit {
    Objects.requireNonNull(balanceMicrodenarii);
    Objects.requireNonNull(limitMicrodenarii);
    Objects.requireNonNull(reservedMicrodenarii);
    Objects.requireNonNull(availableMicrodenarii);
    Objects.requireNonNull(caps);
    Objects.requireNonNull(spentLastHourMicrodenarii);
  }

  private static final Set<String> STATES = Set.of("sufficient", "low", "exhausted");
  private static final long SECOND_MS = 1000;

  /// The decision of an operator.
  public record Block(@Nullable String reason, @Nullable String decidedBy, Instant decidedAt) {
    public Block {
      Objects.requireNonNull(decidedAt);
    }
  }

  /// The user's own caps, and what counts against them.
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

  /// The state; `sufficient` if billing says something that we do not know.
  public String knownState() {
    return state != null && STATES.contains(state) ? state : "sufficient";
  }

  /// How long the credit lasts, milliseconds; null without a charge in the last hour.
  public @Nullable Long lastsMs() {
    return lastsSeconds == null ? null : lastsSeconds * SECOND_MS;
  }
}
