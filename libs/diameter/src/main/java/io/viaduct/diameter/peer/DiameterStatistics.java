package io.viaduct.diameter.peer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.diameter.message.Refusal;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/// Counters of one node. Thread-safe.
public final class DiameterStatistics {
  /// Counted events that are not refusals of the codec.
  public enum Count {
    REQUEST_SENT,
    REQUEST_RECEIVED,
    ANSWER_SENT,
    ANSWER_RECEIVED,
    /// A request went to another peer, because its peer failed or could not deliver it.
    RETRANSMITTED,
    /// A copy of a request got the answer of the first one.
    DUPLICATE,
    /// A request of a peer was answered with 3004, because too many are processed.
    TOO_BUSY,
    /// An answer without a request in flight, such as one that came too late.
    STRAY_ANSWER,
    /// A message between neighbours that its connection's state does not expect.
    UNEXPECTED,
    WATCHDOG_SENT,
    WATCHDOG_ANSWERED,
    CONNECTED,
    DISCONNECTED,
    CONNECT_FAILED,
    /// An accepted connection brought no capabilities exchange in time, or too many are open.
    NO_CAPABILITIES,
    /// The Origin-Host of a capabilities exchange is not that of a peer.
    UNKNOWN_PEER,
    NO_COMMON_APPLICATION,
    FAIL_OVER,
    FAIL_BACK
  }

  private final Map<Refusal, LongAdder> refusals = adders(Refusal.class);
  private final Map<Count, LongAdder> counts = adders(Count.class);
  private final Map<DiameterFailure, LongAdder> failures = adders(DiameterFailure.class);

  private static <K extends Enum<K>> Map<K, LongAdder> adders(Class<K> type) {
    Map<K, LongAdder> adders = new EnumMap<>(type);
    for (K value : type.getEnumConstants()) {
      adders.put(value, new LongAdder());
    }
    return adders;
  }

  void count(Refusal reason) {
    adder(refusals, reason).increment();
  }

  void count(Count what) {
    adder(counts, what).increment();
  }

  void count(DiameterFailure failure) {
    adder(failures, failure).increment();
  }

  public long of(Refusal reason) {
    return adder(refusals, reason).sum();
  }

  public long of(Count what) {
    return adder(counts, what).sum();
  }

  public long of(DiameterFailure failure) {
    return adder(failures, failure).sum();
  }

  /// Registers the counters.
  public void bindTo(MeterRegistry registry) {
    bind(
        registry,
        "viaduct_diameter_refused",
        "Diameter messages refused before anything processed them",
        "reason",
        refusals);
    bind(
        registry,
        "viaduct_diameter_events",
        "Diameter messages and changes of connections by kind",
        "kind",
        counts);
    bind(
        registry,
        "viaduct_diameter_unanswered",
        "Diameter requests of this node that got no answer",
        "reason",
        failures);
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
