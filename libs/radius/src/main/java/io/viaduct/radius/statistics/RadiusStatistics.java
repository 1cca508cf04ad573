package io.viaduct.radius.statistics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.radius.message.Refusal;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

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

  private final Map<Refusal, LongAdder> refusals = adders(Refusal.class);
  private final Map<Drop, LongAdder> drops = adders(Drop.class);
  private final Map<Count, LongAdder> counts = adders(Count.class);

  private static <K extends Enum<K>> Map<K, LongAdder> adders(Class<K> type) {
    Map<K, LongAdder> adders = new EnumMap<>(type);
    for (K value : type.getEnumConstants()) {
      adders.put(value, new LongAdder());
    }
    return adders;
  }

  public void count(Refusal reason) {
    adder(refusals, reason).increment();
  }

  public void count(Drop reason) {
    adder(drops, reason).increment();
  }

  public void count(Count what) {
    adder(counts, what).increment();
  }

  public long of(Refusal reason) {
    return adder(refusals, reason).sum();
  }

  public long of(Drop reason) {
    return adder(drops, reason).sum();
  }

  public long of(Count what) {
    return adder(counts, what).sum();
  }

  /// Registers the counters.
  public void bindTo(MeterRegistry registry) {
    String dropped = "RADIUS packets that were dropped without an answer, by reason";
    bind(registry, "viaduct_radius_dropped", dropped, "reason", refusals);
    bind(registry, "viaduct_radius_dropped", dropped, "reason", drops);
    bind(registry, "viaduct_radius_events", "RADIUS packets by kind", "kind", counts);
  }

  private static <K extends Enum<K>> void bind(
      MeterRegistry registry,
      String name,
      String description,
      String label,
      Map<K, LongAdder> adders) {
    adders.forEach((value, adder) ->
        FunctionCounter.builder(name, adder, LongAdder::sum)
            .description(description)
            .tag(label, value.name().toLowerCase(Locale.ROOT))
            .register(registry));
  }

  private static <K> LongAdder adder(Map<K, LongAdder> map, K key) {
    LongAdder adder = map.get(key);
    if (adder == null) {
      throw new IllegalStateException("no counter for " + key);
    }
    return adder;
  }
}
