package io.viaduct.billing.settlement;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// The state of an account that a report names.
///
/// @param inactiveSince time of its suspension or closing; null for an active account, and where it
///   is not known
/// @param chargedFrom end of the time of a former user of the id, who was erased; null without one
record AccountStanding(
    String state, @Nullable Instant inactiveSince, @Nullable Instant chargedFrom) {
  private static final String ACTIVE = "active";

  /// Returns whether an interval is charged without an operator's decision: the account was active
  /// when it began. The session of a suspended account ends within a second, and its last report
  /// comes later.
  boolean paysFor(Instant start) {
    return state.equals(ACTIVE) || inactiveSince != null && start.isBefore(inactiveSince);
  }

  /// Returns true if an interval is of a former user of the account's id.
  boolean isOfFormerUser(Instant start) {
    return chargedFrom != null && start.isBefore(chargedFrom);
  }
}
