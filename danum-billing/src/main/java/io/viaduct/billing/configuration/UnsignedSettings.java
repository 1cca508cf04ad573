package io.viaduct.billing.configuration;

import static io.viaduct.billing.configuration.Rules.between;
import static io.viaduct.billing.configuration.Rules.require;

import java.time.Duration;

/// Limits for charges without the device's receipt.
///
/// @param boundPerAccount most denarii of an account without a receipt; a report above it is held
/// @param decideAfter time from the end of an interval until the operator may decide about it
public record UnsignedSettings(long boundPerAccount, Duration decideAfter) {
  public UnsignedSettings {
    require(
        boundPerAccount >= 0 && boundPerAccount <= Rules.DENARII_MAX,
        "bound-per-account must be 0 to " + Rules.DENARII_MAX,
        Long.toString(boundPerAccount));
    between("decide-after", decideAfter, Duration.ofSeconds(1), Duration.ofDays(31));
  }
}
