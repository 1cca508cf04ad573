package io.viaduct.radius.statistics;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.radius.message.Refusal;
import io.viaduct.service.operations.Tally;

/// Counters of RADIUS in one process. Thread-safe.
public final class RadiusStatistics {
  /// Reasons why a packet that can be read is dropped without an answer.
  public enum Drop {
    /// Its source address is no configured client, or no configured server.
    UNKNOWN_SOURCE,
    /// A response without a request in flight, such as one that came too late.
    STRAY_RESPONSE,
    /// Too many requests are processed; the client sends it again.
    BUSY,
    /// It lacks Acct-Status-Type, Acct-Session-Id or User-Name, or a count is impossible.
    INCOMPLETE,
    /// It could not be stored; the client sends it again.
    NOT_STORED
  }

  /// Counted events.
  public enum Count {
    REQUEST_RECEIVED,
    /// A copy of a request that is processed, or that has been answered.
    DUPLICATE,
    RESPONSE_SENT,
    REQUEST_SENT,
    /// The same packet to the same server once more.
    RETRANSMITTED,
    RESPONSE_RECEIVED,
    /// A server did not answer; the record went to the next one.
    FAIL_OVER,
    /// No server answered a record.
    UNANSWERED
  }

  private final Tally<Refusal> refusals = new Tally<>(Refusal.class);
  private final Tally<Drop> drops = new Tally<>(Drop.class);
  private final Tally<Count> counts = new Tally<>(Count.class);

  public void count(Refusal reason) {
    refusals.count(reason);
  }

  public void count(Drop reason) {
    drops.count(reason);
  }

  public void count(Count what) {
    counts.count(what);
  }

  public long of(Refusal reason) {
    return refusals.of(reason);
  }

  public long of(Drop reason) {
    return drops.of(reason);
  }

  public long of(Count what) {
    return counts.of(what);
  }

  /// Registers the counters.
  public void bindTo(MeterRegistry registry) {
    String dropped = "RADIUS packets that were dropped without an answer, by reason";
    refusals.bind(registry, "viaduct_radius_dropped", "reason", dropped);
    drops.bind(registry, "viaduct_radius_dropped", "reason", dropped);
    counts.bind(registry, "viaduct_radius_events", "kind", "RADIUS packets by kind");
  }
}
