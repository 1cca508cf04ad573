package io.viaduct.cnapt.mobility;

import java.time.Duration;

/// The configuration keys `mobility: …`.
///
/// @param probeInterval time without an answer to sent packets after which a probe is sent;
///   [PathWatch] documents the exceptions
/// @param silentInterval longest time between probes of an idle session; the time doubles up to it
/// @param firstRetry time to the first repeat of a probe after a change of network; it then doubles
/// @param lossesUntilDead number of unanswered probes in a row after which the path is dead
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
