package io.viaduct.bridge.registrar;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.sip.digest.DigestRefusal;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/// What the SIP side counts: everything that went well, every refusal by its reason.
public final class SipMeters {
  /// What went well.
  public enum Event {
    REGISTERED,
    DEREGISTERED,
    MESSAGE_RELAYED,
    SUBSCRIBED,
    UNSUBSCRIBED,
    NOTIFIED,
    NOTIFY_FAILED,
    OPTIONS_ANSWERED
  }

  private final Map<Refusal, Counter> refusals = new EnumMap<>(Refusal.class);
  private final Map<DigestRefusal, Counter> digest = new EnumMap<>(DigestRefusal.class);
  private final Map<Event, Counter> events = new EnumMap<>(Event.class);

  public SipMeters(MeterRegistry registry) {
    for (Refusal reason : Refusal.values()) {
      refusals.put(reason, counter(registry, "viaduct.bridge.sip.refused", "reason", reason));
    }
    for (DigestRefusal reason : DigestRefusal.values()) {
      digest.put(reason, counter(registry, "viaduct.bridge.digest.refused", "reason", reason));
    }
    for (Event event : Event.values()) {
      events.put(event, counter(registry, "viaduct.bridge.sip.events", "event", event));
    }
  }

  private static Counter counter(MeterRegistry registry, String name, String tag, Enum<?> value) {
    return registry.counter(name, tag, value.name().toLowerCase(Locale.ROOT));
  }

  public void count(Refusal reason) {
    of(refusals, reason).increment();
  }

  public void count(DigestRefusal reason) {
    of(digest, reason).increment();
  }

  public void count(Event event) {
    of(events, event).increment();
  }

  private static <K> Counter of(Map<K, Counter> counters, K key) {
    Counter counter = counters.get(key);
    if (counter == null) {
      throw new IllegalStateException("no counter for " + key);
    }
    return counter;
  }
}
