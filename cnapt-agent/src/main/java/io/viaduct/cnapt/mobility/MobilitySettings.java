package io.viaduct.cnapt.mobility;

import java.time.Duration;

/// The configuration keys `mobility: …`.
///
/// @param probeInterval how long nothing may come after packets have left before a probe asks;
///   [PathWatch] says when one waits longer
/// @param silentInterval longest spacing, reached by doubling, while nothing flows
/// @param firstRetry after a change of network: spacing of the first repeat, doubling
/// @param lossesUntilDead unanswered probes in a row that make a path dead
public record MobilitySettings(
    Duration probeInterval, Duration silentInterval, Duration firstRetry, int lossesUntilDead) {
  /// Checks the order of the intervals.
  public MobilitySettings {
    if (!firstRetry.isPositive() || probeInterval.compareTo(firstRetry) < 0) {
      throw new IllegalArgumentException(
          "first-retry must be longer than nothing and at most probe-interval, got "
              + firstRetry
              + " and "
              + probeInterval);
    }
    if (silentInterval.compareTo(probeInterval) < 0) {
      throw new IllegalArgumentException(
          "silent-interval must be at least probe-interval, got "
              + silentInterval
              + " < "
              + probeInterval);
    }
    if (lossesUntilDead < 2 || lossesUntilDead > 100) {
      throw new IllegalArgumentException(
          "losses-until-dead must be from 2 to 100, because one lost probe is normal, got "
              + lossesUntilDead);
    }
  }
}
