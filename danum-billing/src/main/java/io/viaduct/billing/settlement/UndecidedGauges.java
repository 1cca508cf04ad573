package io.viaduct.billing.settlement;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/// Exposes gauges of held reports, unsigned charges and discrepancies, which wait for an operator.
/// A gauge shows the value of the last reading.
public final class UndecidedGauges {
  private final HeldReports held;
  private final UnsignedIntervals unsigned;
  private final Discrepancies discrepancies;
  private final InstantSource clock;
  private final AtomicLong waiting = new AtomicLong();
  private final AtomicLong outstanding = new AtomicLong();
  private final AtomicLong due = new AtomicLong();
  private final AtomicLong different = new AtomicLong();

  public UndecidedGauges(
      HeldReports held,
      UnsignedIntervals unsigned,
      Discrepancies discrepancies,
      InstantSource clock,
      MeterRegistry registry) {
    this.held = held;
    this.unsigned = unsigned;
    this.discrepancies = discrepancies;
    this.clock = clock;
    gauge(registry, "viaduct_reports_waiting", "Held reports that wait for the operator", waiting);
    gauge(
        registry,
        "viaduct_unsigned_microdenarii",
        "Charges that are posted without the device's receipt",
        outstanding);
    gauge(
        registry,
        "viaduct_unsigned_due",
        "Intervals without receipt about which the operator may decide",
        due);
    gauge(
        registry,
        "viaduct_discrepancies",
        "Discrepancies between devices and SNAPTs that no operator has closed",
        different);
  }

  // A lambda over the value keeps it alive: a registry holds the observed object only weakly.
  private static void gauge(
      MeterRegistry registry, String name, String description, AtomicLong value) {
    Gauge.builder(name, value::get).description(description).register(registry);
  }

  /// Reads the values from the database.
  public void read() {
    waiting.set(held.waiting());
    outstanding.set(unsigned.outstanding().value());
    due.set(unsigned.due(clock.instant()));
    different.set(discrepancies.waiting());
  }
}
