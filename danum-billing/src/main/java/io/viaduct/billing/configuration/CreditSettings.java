package io.viaduct.billing.configuration;

import static io.viaduct.billing.configuration.Rules.between;
import static io.viaduct.billing.configuration.Rules.require;

import java.time.Duration;

/// Quotas for the sessions of SNAPTs, and notices of low credit.
///
/// @param defaultLimit denarii that the balance of an account without a limit of its own may go
///   below zero
/// @param grantTime time of the present rate that a grant lasts
/// @param grantBytesMin smallest grant while credit suffices
/// @param validity longest validity of a grant
/// @param validityMin shortest validity of a grant
/// @param grace longest time for which an application of low delay goes on at zero credit
/// @param low denarii below which credit is low
/// @param hysteresis denarii by which credit must exceed a threshold to be above it again
/// @param webhook where notices are sent
public record CreditSettings(
    long defaultLimit,
    Duration grantTime,
    long grantBytesMin,
    Duration validity,
    Duration validityMin,
    Duration grace,
    long low,
    long hysteresis,
    WebhookSettings webhook) {
  public CreditSettings {
    amount("default-limit", defaultLimit);
    between("grant-time", grantTime, Duration.ofMillis(100), Duration.ofMinutes(1));
    require(
        grantBytesMin >= 1500 && grantBytesMin <= 1L << 30,
        "grant-bytes-min must be 1500 to " + (1L << 30),
        Long.toString(grantBytesMin));
    between("validity", validity, Duration.ofSeconds(1), Duration.ofMinutes(5));
    between("validity-min", validityMin, Duration.ofMillis(50), validity);
    between("grace", grace, Duration.ZERO, Duration.ofMinutes(1));
    amount("low", low);
    amount("hysteresis", hysteresis);
  }

  private static void amount(String key, long denarii) {
    require(
        denarii >= 0 && denarii <= Rules.DENARII_MAX,
        key + " must be 0 to " + Rules.DENARII_MAX + " denarii",
        Long.toString(denarii));
  }
}
