package io.viaduct.bridge.registrar;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.service.operations.MetricLabel;
import io.viaduct.sip.digest.DigestRefusal;
import java.util.EnumMap;
import java.util.Map;

/// Counters of the SIP side: successes by event, refusals by reason.
public final class SipMeters {
  /// Completed operations, and NOTIFYs that failed.
  public enum Event {
    REGISTERED,
    DEREGISTERED,
    MESSAGE_RELAYED,
    SUBSCRIBED,
    UNSUBSCRIBED,
    NOTIFIED,
    NOTIFY_FAILED,
    /// A device's report that billing has taken.
    PUBLISHED,
    /// A user has asked at the service address; then the answer was delivered, or no contact took
    /// it.
    QUESTION_ASKED,
    QUESTION_ANSWERED,
    ANSWER_NOT_TAKEN,
    OPTIONS_ANSWERED,
    PROBE_ANSWERED
  }

  /// Outcomes of a MESSAGE at one contact of its recipient.
  public enum Branch {
    ACCEPTED,
    REFUSED,
    /// The contact answered 405: it takes no MESSAGE.
    METHOD_NOT_ALLOWED,
    NO_ANSWER,
    UNREACHABLE,
    /// Not sent: the contact declared at registration that it takes no MESSAGE.
    INCAPABLE
  }

  private final Map<Refusal, Counter> refusals = new EnumMap<>(Refusal.class);
  private final Map<DigestRefusal, Counter> digest = new EnumMap<>(DigestRefusal.class);
  private final Map<Event, Counter> events = new EnumMap<>(Event.class);
  private final Map<Branch, Counter> branches = new EnumMap<>(Branch.class);

  public SipMeters(MeterRegistry registry) {
    for (Refusal reason : Refusal.values()) {
      refusals.put(
          reason,
          counter(
              registry,
              "viaduct_bridge_sip_refused",
              "Requests that were understood and refused, by reason",
              "reason",
              reason));
    }
    for (DigestRefusal reason : DigestRefusal.values()) {
      digest.put(
          reason,
          counter(
              registry,
              "viaduct_bridge_digest_refused",
              "Requests without credentials that hold, by reason",
              "reason",
              reason));
    }
    for (Event event : Event.values()) {
      events.put(
          event,
          counter(
              registry,
              "viaduct_bridge_sip_events",
              "Registrations, subscriptions, messages and notifications",
              "event",
              event));
    }
    for (Branch outcome : Branch.values()) {
      branches.put(
          outcome,
          counter(
              registry,
              "viaduct_bridge_message_branches",
              "Fates of a message at each contact of its recipient",
              "outcome",
              outcome));
    }
  }

  private static Counter counter(
      MeterRegistry registry, String name, String description, String tag, Enum<?> value) {
    return Counter.builder(name)
        .description(description)
        .tag(tag, MetricLabel.of(value))
        .register(registry);
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

  public void count(Branch outcome) {
    of(branches, outcome).increment();
  }

  private static <K> Counter of(Map<K, Counter> counters, K key) {
    Counter counter = counters.get(key);
    if (counter == null) {
      throw new IllegalStateException("no counter for " + key);
    }
    return counter;
  }
}
