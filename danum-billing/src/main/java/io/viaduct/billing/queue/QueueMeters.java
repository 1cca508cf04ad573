package io.viaduct.billing.queue;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.service.operations.LabelledCounters;
import java.util.concurrent.atomic.AtomicLong;

/// Counts the records of the topics.
final class QueueMeters {
  /// Fate of a record of the topic of reports.
  enum Outcome {
    /// It has a verdict, and its offset is committed.
    TAKEN,
    /// It is not a `QueuedReport`.
    MALFORMED,
    /// It is longer than any report may be.
    TOO_LONG,
    /// It has no report.
    EMPTY,
    /// Billing failed on it: its SNAPT sends it again.
    FAILED
  }

  final AtomicLong partitions = new AtomicLong();
  final AtomicLong lag = new AtomicLong();
  final AtomicLong unpublished = new AtomicLong();
  private final LabelledCounters<Outcome> records;
  private final Counter repeated;
  private final Counter published;

  QueueMeters(MeterRegistry registry) {
    records =
        LabelledCounters.register(
            registry,
            "viaduct_queue_records",
            "Records of the topic of reports, by their fate",
            "outcome",
            Outcome.class);
    repeated =
        Counter.builder("viaduct_queue_rounds_repeated")
            .description("Batches of records that are read again: database or broker was away")
            .register(registry);
    published =
        Counter.builder("viaduct_queue_charges_published")
            .description("Charges written to their topic, and acknowledged by the broker")
            .register(registry);
    gauge(registry, "viaduct_queue_partitions", "Partitions of reports read here", partitions);
    gauge(registry, "viaduct_queue_lag", "Records of these partitions that wait", lag);
    gauge(
        registry,
        "viaduct_queue_charges_waiting",
        "Charges that wait to be published, of all instances",
        unpublished);
  }

  private static void gauge(
      MeterRegistry registry, String name, String description, AtomicLong of) {
    Gauge.builder(name, of, AtomicLong::get).description(description).register(registry);
  }

  void record(Outcome outcome) {
    records.increment(outcome);
  }

  void repeated() {
    repeated.increment();
  }

  void published(int charges) {
    published.increment(charges);
  }
}
