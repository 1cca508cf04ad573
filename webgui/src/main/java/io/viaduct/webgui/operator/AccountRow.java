package io.viaduct.webgui.operator;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.viaduct.webgui.billing.MicroDenarii;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// An account in the operators' list.
///
/// @param credit `sufficient`, `low` or `exhausted`
/// @param isBlocked true if the operator has blocked it
public record AccountRow(
    String id,
    @Nullable String displayName,
    @Nullable String role,
    @Nullable String state,
    @Nullable String credit,
    @JsonProperty("blocked") boolean isBlocked,
    MicroDenarii balanceMicrodenarii,
    MicroDenarii reservedMicrodenarii,
    MicroDenarii spentTodayMicrodenarii,
    MicroDenarii spentThisMonthMicrodenarii) {
  private static final Set<String> STANDING_OUT = Set.of("suspended", "closed");
  private static final Set<String> ROLES = Set.of("user", "operator", "auditor", "snapt-owner");
  private static final Set<String> SHORT = Set.of("low", "exhausted");

  public AccountRow {
    Objects.requireNonNull(id);
    Objects.requireNonNull(balanceMicrodenarii);
    Objects.requireNonNull(reservedMicrodenarii);
    Objects.requireNonNull(spentTodayMicrodenarii);
    Objects.requireNonNull(spentThisMonthMicrodenarii);
  }

  /// Returns the role, for a text of the pages. An unknown role is a user's.
  public String knownRole() {
    return role != null && ROLES.contains(role) ? role : "user";
  }

  /// Returns the one word that says most about it: `closed`, `suspended`, `blocked`, `exhausted`,
  /// `low` or `active`.
  public String standing() {
    if (state != null && STANDING_OUT.contains(state)) {
      return state;
    }
    if (isBlocked) {
      return "blocked";
    }
    boolean needsCredit = knownRole().equals("user");
    return needsCredit && credit != null && SHORT.contains(credit) ? credit : "active";
  }
}
