package io.viaduct.cnapt.control;

import java.time.Duration;

/// The configuration keys `control: …`.
///
/// @param connectTimeout for TCP, TLS and Welcome together
/// @param keepAlive spacing of KeepAlive; three lost ones end the connection
/// @param retryFirst first pause after a failed attempt; it doubles from there
/// @param retryMax longest pause
public record ControlSettings(
    Duration connectTimeout, Duration keepAlive, Duration retryFirst, Duration retryMax) {
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
  }
}
