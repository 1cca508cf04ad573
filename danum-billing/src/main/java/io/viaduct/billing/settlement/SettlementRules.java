package io.viaduct.billing.settlement;

import java.time.Duration;
import java.util.function.UnaryOperator;

/// What the operator decides about the life of an interval.
///
/// @param graceTime from the end of an interval until it is settled
/// @param adjustmentTime from the end of an interval until a report of it is refused
/// @param ownerOf owner by SNAPT id: earns the provider's fee
public record SettlementRules(
    Duration graceTime, Duration adjustmentTime, UnaryOperator<String> ownerOf) {}
