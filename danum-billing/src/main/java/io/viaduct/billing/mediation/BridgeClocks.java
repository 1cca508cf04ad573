package io.viaduct.billing.mediation;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.service.clock.PeerClock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// The clocks of the bridges, compared with billing's own by each of their requests. A bridge that
/// has nothing to submit sends an empty request every 5 s. Thread-safe.
public final class BridgeClocks {
  /// Largest difference at which billing posts. Above it one of the two is certainly wrong, and
  /// nothing here tells which: the tariff, the time on the bill and the grace time depend on it.
  static final Duration TRUSTED = Duration.ofMinutes(5);

  /// A bridge that was silent for longer says nothing about billing's clock any more.
  private static final Duration HEARD = Duration.ofMinutes(1);

  private final InstantSource clock;
  private final Map<String, Heard> bridges = new ConcurrentHashMap<>();

  private record Heard(PeerClock clock, Instant at) {}

  public BridgeClocks(InstantSource clock, MeterRegistry registry) {
    this.clock = clock;
    Gauge.builder(PeerClock.METRIC, this, BridgeClocks::aheadSeconds)
        .description("This machine's clock minus that of the bridge that differs most")
        .baseUnit("seconds")
        .register(registry);
  }

  /// Compares the time that a bridge has put into a request.
  ///
  /// @param bridge common name of its certificate
  /// @return true if billing may post by the bridge's time
  boolean areTrusted(String bridge, Instant told) {
    Instant now = clock.instant();
    bridges
        .compute(
            bridge,
            (name, heard) ->
                new Heard(heard == null ? new PeerClock("bridge " + name) : heard.clock(), now))
        .clock()
        .told(told.toEpochMilli(), now.toEpochMilli());
    return Duration.between(told, now).abs().compareTo(TRUSTED) <= 0;
  }

  /// Returns true if billing may post what bridges have written to a topic, which does not tell
  /// which bridge wrote a report.
  public boolean areAllTrusted() {
    return !(Math.abs(aheadSeconds()) > TRUSTED.toSeconds()); // true if there is none
  }

  // That of the bridge which differs most, of those that were heard lately; NaN without one.
  private double aheadSeconds() {
    Instant since = clock.instant().minus(HEARD);
    return bridges.values().stream()
        .filter(each -> each.at().isAfter(since))
        .map(each -> each.clock().aheadSeconds())
        .max(Comparator.comparingDouble(Math::abs))
        .orElse(Double.NaN);
  }
}
