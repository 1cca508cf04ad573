package io.viaduct.billing.settlement;

import io.viaduct.billing.ledger.MicroDenarii;
import java.time.Duration;
import java.util.function.UnaryOperator;

/// What the operator decides about the life of an interval.
///
/// @param graceTime from the end of an interval until it is settled
/// @param adjustmentTime from the end of an interval until a report of it is refused
/// @param ownerOf owner by SNAPT id: earns the provider's fee
/// @param bounds above them a report is held
public record SettlementRules(
    Duration graceTime, Duration adjustmentTime, UnaryOperator<String> ownerOf, Bounds bounds) {
  /// Bounds on what is posted without an operator.
  ///
  /// @param charge of an account, for intervals that end in one minute
  /// @param unsigned charges of an account together
  /// @param heldOfSnapt reports of one SNAPT that are held; more are deferred
  public record Bounds(MicroDenarii charge, MicroDenarii unsigned, int heldOfSnapt) {}
}
