package io.viaduct.billing.configuration;

import static io.viaduct.billing.configuration.Rules.between;
import static io.viaduct.billing.configuration.Rules.require;

import java.time.Duration;

/// Limits for charges by the device's report alone.
///
/// @param chargeAfter time from the end of an interval that the SNAPT's report has
/// @param boundPerAccount most denarii of an account that the SNAPT's report may still replace; a
///   report above it is not charged
public record DeviceReportsSettings(Duration chargeAfter, long boundPerAccount) {
  public DeviceReportsSettings {
    between("charge-after", chargeAfter, Duration.ofSeconds(1), Duration.ofDays(31));
    require(
        boundPerAccount >= 0 && boundPerAccount <= Rules.DENARII_MAX,
        "bound-per-account must be 0 to " + Rules.DENARII_MAX,
        Long.toString(boundPerAccount));
  }
}
