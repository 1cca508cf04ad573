package io.viaduct.sip.useragent;

import java.time.Duration;

/// Pauses between SIP probes. A probe and its answer are about 900 bytes.
///
/// @param besideTunnel pause while a tunnel stands; zero: only after a registration
/// @param alone pause while none stands
public record ProbePace(Duration besideTunnel, Duration alone) {
  private static final Duration BESIDE_TUNNEL_MIN = Duration.ofMinutes(1);
  private static final Duration ALONE_MIN = Duration.ofSeconds(5);

  /// At this pace a device that carries nothing sends 0.25 B/s for SIP probes.
  public static final ProbePace USUAL = new ProbePace(Duration.ofHours(1), Duration.ofSeconds(30));

  public ProbePace {
    if (!besideTunnel.isZero() && besideTunnel.compareTo(BESIDE_TUNNEL_MIN) < 0) {
      throw new IllegalArgumentException(
          "probe-interval must be 0s or at least 1m, got " + besideTunnel);
    }
    if (alone.compareTo(ALONE_MIN) < 0) {
      throw new IllegalArgumentException("outage-probe-interval must be at least 5s, got " + alone);
    }
  }
}
