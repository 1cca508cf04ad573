package io.viaduct.billing.settlement;

import io.viaduct.billing.ledger.MicroDenarii;
import java.time.Duration;
import java.util.function.UnaryOperator;

/// The operator's rules for posting and settling intervals.
///
/// @param graceTime time from the end of an interval until it is settled
/// @param adjustmentTime time from the end of an interval until its report is refused as too late
/// @param ownerOf owner of a SNAPT that was never enrolled, by its id; the owner earns the
///   provider's fee
/// @param bounds bounds above which a report is held
public record SettlementRules(
    Duration graceTime, Duration adjustmentTime, UnaryOperator<String> ownerOf, Bounds bounds) {
  /// Bounds for reports that are posted without an operator.
  ///
  /// @param charge largest sum of an account's charges for intervals that end in one minute
  /// @param unsigned largest sum of an account's unsigned charges
  /// @param heldOfSnapt most held reports of one SNAPT; further ones are deferred
  public record Bounds(MicroDenarii charge, MicroDenarii unsigned, int heldOfSnapt) {}
}
