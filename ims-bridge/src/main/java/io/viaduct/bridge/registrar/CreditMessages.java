package io.viaduct.bridge.registrar;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.bridge.replication.Duty;
import io.viaduct.service.operations.LabelledCounters;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.endpoint.SipEndpoint;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Tells users by MESSAGE (RFC 3428) that their credit is low or used up. Billing notices each such
/// change once; this class sends one message for it to the contacts that the user has registered,
/// as [Fork] does. A user without a contact is told nothing by SIP. Thread-safe.
public final class CreditMessages {
  /// Most users with a notice that is not delivered yet.
  private static final int WAITING_MAX = 10_000;

  /// Most messages that one call of [#onClock] sends: at the turn of a month many grants expire
  /// together.
  private static final int SENT_AT_A_TIME = 50;

  /// Pauses before the second and the third attempt.
  private static final List<Duration> PAUSES =
      List.of(Duration.ofSeconds(10), Duration.ofMinutes(1));

  /// Age from which a notice says nothing that the user can still use.
  private static final Duration AGE_MAX = Duration.ofMinutes(15);

  /// The fate of a notice, and attempts that are repeated.
  enum Outcome {
    DELIVERED,
    /// A contact refused it for good.
    REFUSED,
    /// No contact took this attempt; another one follows.
    RETRIED,
    /// No contact took the last attempt.
    GIVEN_UP,
    /// The user has registered no contact.
    NO_CONTACT,
    /// All contacts have declared that they take no MESSAGE.
    INCAPABLE,
    /// A later notice has replaced it.
    SUPERSEDED,
    /// It arrived late, for example after an absence of billing.
    OLD,
    /// Too many notices wait.
    OVERFLOW,
    /// The user's latest contact belongs to another bridge, which tells the user.
    OTHER_BRIDGE
  }

  private record Waiting(String user, CreditNotice notice, int attempts, Instant due) {
    Waiting attempted() {
      return new Waiting(user, notice, attempts + 1, Instant.MAX);
    }

    Waiting again(Instant at) {
      return new Waiting(user, notice, attempts, at);
    }
  }

  private final String domain;
  private final LocationService locations;
  private final Duty duty;
  private final SipMeters meters;
  private final LabelledCounters<Outcome> outcomes;
  private final Duration patience;
  private final InstantSource clock;
  private final Map<String, Waiting> waiting = new LinkedHashMap<>(); // guarded by this
  private volatile @Nullable RequestSender endpoint;

  /// @param domain the bridge's domain, from which the messages come
  /// @param duty decides which of several bridges tells a user: each of them gets each notice
  /// @param patience longest wait for one contact
  CreditMessages(
      String domain,
      LocationService locations,
      Duty duty,
      SipMeters meters,
      MeterRegistry registry,
      Duration patience,
      InstantSource clock) {
    this.domain = domain;
    this.locations = locations;
    this.duty = duty;
    this.meters = meters;
    this.patience = patience;
    this.clock = clock;
    outcomes =
        LabelledCounters.register(
            registry,
            "viaduct_bridge_credit_messages",
            "Notices of low and of exhausted credit for users, by outcome",
            "outcome",
            Outcome.class);
  }

  /// Sets the endpoint that messages are sent through.
  public void attach(RequestSender opened) {
    endpoint = opened;
  }

  /// Takes the new notice of a user. It is sent by the next [#onClock].
  void noticed(Subscriber subscriber) {
    CreditNotice notice = subscriber.notice();
    Instant now = clock.instant();
    synchronized (this) {
      if (waiting.remove(subscriber.user()) != null) {
        outcomes.increment(Outcome.SUPERSEDED);
      }
      if (notice.state() == CreditState.SUFFICIENT) {
        return;
      }
      if (notice.noticedAt().isBefore(now.minus(AGE_MAX))) {
        outcomes.increment(Outcome.OLD);
      } else if (waiting.size() >= WAITING_MAX) {
        outcomes.increment(Outcome.OVERFLOW);
      } else {
        waiting.put(subscriber.user(), new Waiting(subscriber.user(), notice, 0, now));
      }
    }
  }

  /// Sends the messages that are due.
  public void onClock() {
    RequestSender out = endpoint;
    if (out == null) {
      return;
    }
    Instant now = clock.instant();
    List<Waiting> due;
    synchronized (this) {
      due =
          waiting.values().stream()
              .filter(each -> !each.due().isAfter(now))
              .limit(SENT_AT_A_TIME)
              .map(Waiting::attempted)
              .toList();
      due.forEach(each -> waiting.put(each.user(), each));
    }
    due.forEach(each -> send(each, out, now));
  }

  private void send(Waiting notice, RequestSender out, Instant now) {
    List<Binding> contacts = locations.bindings(notice.user(), now);
    if (!contacts.isEmpty() && !duty.isOurs(contacts.getFirst().flow(), notice.user())) {
      conclude(notice, Outcome.OTHER_BRIDGE);
      return;
    }
    List<Binding> targets = contacts.stream().filter(each -> each.allows("MESSAGE")).toList();
    if (targets.isEmpty()) {
      conclude(notice, contacts.isEmpty() ? Outcome.NO_CONTACT : Outcome.INCAPABLE);
      return;
    }
    new Fork(
            InstanceFlows.targets(targets),
            contact ->
                Fork.Branch.of(
                    InstanceFlows.send(
                            contact,
                            targets,
                            flow -> out.send(message(notice, flow), flow.flow()),
                            locations::drop)
                        .orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS)),
            meters::countMessage,
            best -> answered(notice, best))
        .start();
  }

  private void answered(Waiting notice, Fork.Result best) {
    if (best.isAcceptance()) {
      conclude(notice, Outcome.DELIVERED);
    } else if (!best.mayPass()) {
      conclude(notice, Outcome.REFUSED);
    } else if (notice.attempts() > PAUSES.size()) {
      conclude(notice, Outcome.GIVEN_UP);
    } else {
      Duration pause = PAUSES.get(notice.attempts() - 1);
      synchronized (this) {
        if (notice.equals(waiting.get(notice.user()))) {
          outcomes.increment(Outcome.RETRIED);
          waiting.put(notice.user(), notice.again(clock.instant().plus(pause)));
        }
      }
    }
  }

  // A notice that was replaced meanwhile is counted already.
  private synchronized void conclude(Waiting notice, Outcome outcome) {
    if (notice.equals(waiting.get(notice.user()))) {
      waiting.remove(notice.user());
      outcomes.increment(outcome);
    }
  }

  /// Returns the message. It comes from the domain itself, which no user can be, so nobody can
  /// answer it, and a copy that returns is refused for its sender.
  private SipRequest message(Waiting notice, Binding contact) {
    SipHeaders headers =
        SipHeaders.NONE
            .with("Max-Forwards", "70")
            .with("From", "<sip:%s>;tag=%s".formatted(domain, SipEndpoint.token()))
            .with("To", "<sip:%s@%s>".formatted(notice.user(), domain))
            .with("Call-ID", SipEndpoint.token())
            .with("CSeq", "1 MESSAGE")
            .with("Content-Language", contact.language().toLanguageTag());
    return new SipRequest("MESSAGE", contact.contact(), contact.ofService(headers))
        .withBody(
            "text/plain;charset=UTF-8",
            SipBody.of(CreditWords.of(notice.notice(), contact.language())));
  }
}
