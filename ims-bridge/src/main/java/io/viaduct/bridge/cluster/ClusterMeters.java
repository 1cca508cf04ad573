package io.viaduct.bridge.cluster;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.bridge.replication.Replicas;
import io.viaduct.service.operations.LabelledCounters;

/// Counters of what the bridges tell each other.
final class ClusterMeters {
  /// Fates of an entry that another bridge has sent.
  enum Received {
    TAKEN,
    /// It was known already, or in a later version; or there is no place for it.
    OLDER,
    /// It cannot be read: the bridges have different versions.
    MALFORMED
  }

  /// Ways of a request for a flow of another bridge.
  enum Pass {
    /// By that bridge.
    OWNER,
    /// From here, because that bridge is away: UDP and TCP only.
    DIRECT,
    /// Not sent: that bridge is away, and nobody else can send by its flow.
    AWAY
  }

  /// Ends of the wait until another bridge has a copy, before a user agent is told that it is
  /// registered.
  enum Copy {
    COPIED,
    /// No bridge has said so in time; the user agent was told nevertheless.
    LATE,
    /// No other bridge is there.
    ALONE
  }

  private final LabelledCounters<Received> received;
  private final LabelledCounters<Pass> passes;
  private final LabelledCounters<Copy> copies;
  private final Counter sent;

  ClusterMeters(Replicas replicas, MeterRegistry registry) {
    received =
        LabelledCounters.register(
            registry,
            "viaduct_bridge_replicas_received",
            "Entries that other bridges have sent, by outcome",
            "outcome",
            Received.class);
    passes =
        LabelledCounters.register(
            registry,
            "viaduct_bridge_passed_requests",
            "Requests for flows of another bridge, by their way",
            "way",
            Pass.class);
    copies =
        LabelledCounters.register(
            registry,
            "viaduct_bridge_copied_registrations",
            "Registrations that were answered, by whether another bridge had a copy",
            "outcome",
            Copy.class);
    sent =
        Counter.builder("viaduct_bridge_replicas_sent")
            .description("Entries sent to other bridges")
            .register(registry);
    Gauge.builder("viaduct_bridge_replicas", replicas, Replicas::size)
        .description("Entries that the bridges share, removed ones included until they expire")
        .register(registry);
    FunctionCounter.builder("viaduct_bridge_replicas_overflow", replicas, Replicas::overflows)
        .description("Entries that had no place among those that the bridges share")
        .register(registry);
  }

  void received(Received outcome) {
    received.increment(outcome);
  }

  void passed(Pass way) {
    passes.increment(way);
  }

  void copied(Copy outcome) {
    copies.increment(outcome);
  }

  void sent() {
    sent.increment();
  }
}
