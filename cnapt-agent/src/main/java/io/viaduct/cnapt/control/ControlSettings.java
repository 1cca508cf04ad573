package io.viaduct.cnapt.control;

import java.time.Duration;

/// The configuration keys `control: …`.
///
/// @param connectTimeout for TCP, TLS and Welcome together
/// @param keepAlive spacing of KeepAlives to a SNAPT that was silent for three times as long; three
///   lost ones end the connection
/// @param retryFirst first pause after a failed attempt; it doubles from there
/// @param retryMax longest pause
/// @param snaptPatience how long the SNAPT that carries us is asked again before another one is
public record ControlSettings(
    Duration connectTimeout,
    Duration keepAlive,
    Duration retryFirst,
    Duration retryMax,
    Duration snaptPatience) {
  /// Checks that all are positive and in order.
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
