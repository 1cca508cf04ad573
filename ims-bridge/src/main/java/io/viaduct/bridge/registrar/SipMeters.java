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
    /// An S-CSCF has registered a user, or ended that (third-party REGISTER).
    CORE_REGISTERED,
    CORE_DEREGISTERED,
    /// A request whose sender the core has authenticated.
    IDENTITY_ASSERTED,
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
    PROBE_ANSWERED,
    CALL_ANSWERED,
    /// No contact took the call; its caller got the best refusal.
    CALL_REFUSED,
    /// The caller gave the call up before it was answered.
    CALL_CANCELLED,
    /// A BYE ended the call.
    CALL_ENDED,
    /// The session of a call expired without a refresh (RFC 4028): it is forgotten.
    CALL_EXPIRED,
    /// A request inside a call, other than ACK and BYE.
    CALL_REQUEST_RELAYED
  }

  /// Outcomes of a MESSAGE or a call at one contact of its recipient.
  public enum Branch {
    ACCEPTED,
    REFUSED,
    /// The contact answered 405: it does not take the method.
    METHOD_NOT_ALLOWED,
    NO_ANSWER,
    UNREACHABLE,
    /// Not sent: the contact declared at registration that it does not take the method.
    INCAPABLE,
    /// The call was cancelled here: its caller gave it up, or another contact took or declined it.
    CANCELLED
  }

  /// Reasons for which the last NOTIFY of a subscription was never sent.
  public enum LostEnding {
    /// For too long too many requests of the bridge waited for an answer.
    TOO_LATE,
    /// Too many last NOTIFYs waited for that.
    NO_PLACE
  }

  private final Map<Refusal, Counter> refusals = new EnumMap<>(Refusal.class);
  private final Map<DigestRefusal, Counter> digest = new EnumMap<>(DigestRefusal.class);
  private final Map<Event, Counter> events = new EnumMap<>(Event.class);
  private final Map<LostEnding, Counter> endings = new EnumMap<>(LostEnding.class);
  private final Map<Branch, Counter> messages = new EnumMap<>(Branch.class);
  private final Map<Branch, Counter> calls = new EnumMap<>(Branch.class);

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
              "Registrations, subscriptions, messages, notifications and calls",
              "event",
              event));
    }
    for (LostEnding reason : LostEnding.values()) {
      endings.put(
          reason,
          counter(
              registry,
              "viaduct_bridge_endings_lost",
              "Last NOTIFYs of subscriptions that were never sent, by reason",
              "reason",
              reason));
    }
    for (Branch outcome : Branch.values()) {
      messages.put(
          outcome,
          counter(
              registry,
              "viaduct_bridge_message_branches",
              "Fates of a message at each contact of its recipient",
              "outcome",
              outcome));
      calls.put(
          outcome,
          counter(
              registry,
              "viaduct_bridge_call_branches",
              "Fates of a call at each contact of its recipient",
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

  public void count(LostEnding reason) {
    of(endings, reason).increment();
  }

  public void countMessage(Branch outcome) {
    of(messages, outcome).increment();
  }

  public void countCall(Branch outcome) {
    of(calls, outcome).increment();
  }

  private static <K> Counter of(Map<K, Counter> counters, K key) {
    Counter counter = counters.get(key);
    if (counter == null) {
      throw new IllegalStateException("no counter for " + key);
    }
    return counter;
  }
}
