package io.viaduct.sip.endpoint;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.sip.guard.Refusal;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/// Counters of one endpoint, with one counter per reason of refusal. Thread-safe.
public final class SipStatistics {
  /// Counted events that are not refusals.
  public enum Count {
    REQUEST_RECEIVED,
    RESPONSE_RECEIVED,
    REQUEST_SENT,
    RESPONSE_SENT,
    /// A retransmitted request got the remembered response, or its first copy is still processed.
    RETRANSMISSION_ABSORBED,
    KEEP_ALIVE,
    STUN_ANSWERED,
    /// A response, or an ACK, could not be written because its connection has gone.
    SEND_FAILED
  }

  private final Map<Refusal, LongAdder> refusals = new EnumMap<>(Refusal.class);
  private final Map<Count, LongAdder> counts = new EnumMap<>(Count.class);

  SipStatistics() {
    for (Refusal reason : Refusal.values()) {
      refusals.put(reason, new LongAdder());
    }
    for (Count count : Count.values()) {
      counts.put(count, new LongAdder());
    }
  }

  void count(Refusal reason) {
    adder(refusals, reason).increment();
  }

  void count(Count what) {
    adder(counts, what).increment();
  }

  public long of(Refusal reason) {
    return adder(refusals, reason).sum();
  }

  public long of(Count what) {
    return adder(counts, what).sum();
  }

  /// Returns the number of messages refused for any reason.
  public long refused() {
    return refusals.values().stream().mapToLong(LongAdder::sum).sum();
  }

  /// Registers the counters as `viaduct_sip_refused_total{reason}` and
  /// `viaduct_sip_messages_total{kind}`.
  public void bindTo(MeterRegistry registry) {
    refusals.forEach((reason, adder) ->
        FunctionCounter.builder("viaduct_sip_refused", adder, LongAdder::sum)
            .description("SIP messages refused before anything processed them")
            .tag("reason", label(reason))
            .register(registry));
    counts.forEach((what, adder) ->
        FunctionCounter.builder("viaduct_sip_messages", adder, LongAdder::sum)
            .description(
                "SIP messages by kind, repetitions, keep-alives and failed writes included")
            .tag("kind", label(what))
            .register(registry));
  }

  private static String label(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private static <K> LongAdder adder(Map<K, LongAdder> map, K key) {
    LongAdder adder = map.get(key);
    if (adder == null) {
      throw new IllegalStateException("no counter for " + key);
    }
    return adder;
  }
}
