package io.viaduct.cnapt.control;

import java.time.Duration;

/// The configuration keys `control: …`.
///
/// @param connectTimeout longest time for TCP, TLS and Welcome together
/// @param keepAlive time between KeepAlives to a SNAPT that has been silent for three times as
///   long; three unanswered ones end the connection
/// @param retryFirst first pause after a failed attempt; it doubles from there
/// @param retryMax longest pause
/// @param snaptPatience how long the agent retries its last SNAPT before it tries another one
public record ControlSettings(
    Duration connectTimeout,
    Duration keepAlive,
    Duration retryFirst,
    Duration retryMax,
    Duration snaptPatience) {
  /// Checks that all durations are positive and in order.
  public ControlSettings {
    if (!connectTimeout.isPositive() || !keepAlive.isPositive() || !retryFirst.isPositive()) {
      throw new IllegalArgumentException(
          "connect-timeout, keep-alive and retry-first must be longer than nothing");
    }
    if (retryMax.compareTo(retryFirst) < 0) {
      throw new IllegalArgumentException(
          "retry-max must be at least retry-first, got " + retryMax + " < " + retryFirst);
    }
    if (snaptPatience.isNegative()) {
      throw new IllegalArgumentException(
          "snapt-patience must be 0s or longer, got " + snaptPatience);
    }
  }
}
