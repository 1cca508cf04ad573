package io.viaduct.bridge.events;

import io.viaduct.bridge.core.DialogPath;
import io.viaduct.bridge.core.TrustDomain;
import io.viaduct.bridge.registrar.Authentication;
import io.viaduct.bridge.registrar.Refusal;
import io.viaduct.bridge.registrar.SipMeters;
import io.viaduct.bridge.registrar.SipService;
import io.viaduct.bridge.registrar.Subscribers;
import io.viaduct.bridge.replication.Duty;
import io.viaduct.bridge.replication.Replicas;
import io.viaduct.sip.FieldText;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.NameAddress;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.endpoint.SipEndpoint;
import io.viaduct.usage.v1.ReplicaEntry;
import io.viaduct.usage.v1.ReplicaKind;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Notifier of the event packages that tell a user about the own account (RFC 6665): the
/// Request-URI names the user who authenticates. A subscription gets a NOTIFY at once, at each
/// change of the state, and when it ends. Bridges share the subscriptions; the one whose socket has
/// the flow sends the NOTIFYs, another one while that is away ([Duty]). Thread-safe; the dialogs
/// are guarded by this object's lock, which is never held while sending.
public final class EventNotifier implements SipService.Notifier {
  /// Most subscriptions of one user: some phones, each with both packages.
  private static final int OF_USER_MAX = 16;

  private static final String TIMEOUT = "timeout";
  private static final Pattern EVENT_ID = Pattern.compile(FieldText.TOKEN_CHARACTER + "{0,64}");

  /// Bounds of subscriptions and of their expiry.
  ///
  /// @param subscriptions most in all
  public record Limits(int subscriptions, Duration least, Duration most, Duration usual) {}

  private final Limits limits;
  private final Map<String, EventPackage<?>> packages = new HashMap<>();
  private final Authentication authentication;
  private final TrustDomain trust;
  private final Subscribers subscribers;
  private final Replicas replicas;
  private final Duty duty;
  private final SipMeters meters;
  private final InstantSource clock;
  private final Map<EventDialog.Key, EventDialog> dialogs = new HashMap<>(); // guarded by this
  private final Map<String, Integer> ofUser = new HashMap<>(); // guarded by this
  private volatile @Nullable RequestSender endpoint;

  EventNotifier(
      Limits limits,
      List<EventPackage<?>> packages,
      Authentication authentication,
      TrustDomain trust,
      Subscribers subscribers,
      Replicas replicas,
      Duty duty,
      SipMeters meters,
      InstantSource clock) {
    this.limits = limits;
    packages.forEach(each -> this.packages.put(each.name(), each));
    this.authentication = authentication;
    this.trust = trust;
    this.subscribers = subscribers;
    this.replicas = replicas;
    this.duty = duty;
    this.meters = meters;
    this.clock = clock;
    replicas.attach(ReplicaKind.EVENT, this::take);
  }

  /// Takes a subscription of another bridge, or its end.
  private synchronized void take(ReplicaEntry entry) {
    if (!replicas.isCurrent(entry)) {
      return;
    }
    if (Replicas.isRemoval(entry)) {
      drop(EventDialog.Key.parse(entry.getKey()));
      return;
    }
    EventPackage<?> events = packages.get(name(entry.getEvent().getDialog().getEvent()));
    if (events != null) {
      keep(EventText.read(entry.getEvent(), events, replicas.self()));
    }
  }

  // The following are called with the lock.
  private void put(EventDialog dialog) {
    keep(dialog);
    if (!replicas.isAlone()) {
      replicas.put(
          ReplicaKind.EVENT,
          dialog.key().text(),
          dialog.expires(),
          entry -> entry.setEvent(EventText.write(dialog, replicas.self())));
    }
  }

  private void keep(EventDialog dialog) {
    if (dialogs.put(dialog.key(), dialog) == null) {
      ofUser.merge(dialog.user(), 1, Integer::sum);
    }
  }

  private void drop(EventDialog.Key key) {
    EventDialog old = dialogs.remove(key);
    if (old != null) {
      ofUser.computeIfPresent(old.user(), (_, count) -> count == 1 ? null : count - 1);
    }
  }

  /// Returns a subscription as this bridge goes on with it.
  private EventDialog ours(EventDialog known) {
    return replicas.isAlone() || replicas.isOwn(ReplicaKind.EVENT, known.key().text())
        ? known
        : known.takenOver();
  }

  /// Sets the endpoint that NOTIFYs are sent through.
  public void attach(RequestSender opened) {
    endpoint = opened;
  }

  public synchronized int size() {
    return dialogs.size();
  }

  /// Returns the name of the event package that a SUBSCRIBE asks for; empty if it names none.
  static String name(SipRequest subscribe) {
    return name(subscribe.headers().first("Event").orElse(""));
  }

  private static String name(String event) {
    return event.split(";", 2)[0].strip();
  }

  boolean has(String name) {
    return packages.containsKey(name);
  }

  @Override
  public void onSubscribe(IncomingRequest request) {
    SipRequest message = request.message();
    Optional<String> user = authentication.subscriber(request);
    if (user.isEmpty()) {
      return;
    }
    EventPackage<?> events = packages.get(name(message));
    Optional<String> event = events == null ? Optional.empty() : event(message, events);
    if (events == null || event.isEmpty()) {
      refuse(request, Refusal.UNKNOWN_EVENT);
      return;
    }
    // Inside a dialog the Request-URI is the Contact that the bridge gave.
    if (message.to().tag().isEmpty() && !authentication.names(message.uri(), user.get())) {
      refuse(request, Refusal.FOREIGN_IDENTITY);
      return;
    }
    if (DialogPath.isTooLong(message)) {
      refuse(request, Refusal.TOO_MANY_HOPS);
      return;
    }
    if (!accepts(message, events.type())) {
      refuse(request, Refusal.NOT_ACCEPTABLE);
      return;
    }
    long asked =
        message.headers().first("Expires").map(Long::parseLong).orElse(limits.usual.toSeconds());
    if (asked != 0 && asked < limits.least.toSeconds()) {
      meters.count(Refusal.INTERVAL_TOO_BRIEF);
      request.answer(
          authentication
              .response(Refusal.INTERVAL_TOO_BRIEF, message)
              .with("Min-Expires", Long.toString(limits.least.toSeconds())));
      return;
    }
    String target;
    try {
      target = NameAddress.parse(message.headers().first("Contact").orElse("")).sipUri().toString();
    } catch (IllegalArgumentException e) {
      refuse(request, Refusal.MALFORMED_CONTACT);
      return;
    }
    accept(
        request, user.get(), events, event.get(), target, Math.min(asked, limits.most.toSeconds()));
  }

  /// Returns the Event header of the NOTIFYs: the package, and the id that the subscriber chose.
  private static Optional<String> event(SipRequest message, EventPackage<?> events) {
    String[] parts = message.headers().first("Event").orElse("").split(";", 2);
    String id = parts.length == 1 ? "" : FieldText.parameters(parts[1], ';').getOrDefault("id", "");
    return EVENT_ID.matcher(id).matches()
        ? Optional.of(id.isEmpty() ? events.name() : events.name() + ";id=" + id)
        : Optional.empty();
  }

  private static boolean accepts(SipRequest message, String type) {
    List<String> accepted = message.headers().values("Accept");
    String all = type.substring(0, type.indexOf('/')) + "/*";
    return accepted.isEmpty()
        || accepted.stream()
            .map(range -> range.split(";", 2)[0].strip().toLowerCase(Locale.ROOT))
            .anyMatch(List.of(type, all, "*/*")::contains);
  }

  private void accept(
      IncomingRequest request,
      String user,
      EventPackage<?> events,
      String event,
      String target,
      long seconds) {
    SipRequest message = request.message();
    Instant until = clock.instant().plusSeconds(seconds);
    EventDialog dialog;
    synchronized (this) {
      if (message.to().tag().isEmpty()) {
        if (dialogs.size() >= limits.subscriptions || ofUser.getOrDefault(user, 0) >= OF_USER_MAX) {
          refuse(request, Refusal.TOO_MANY_SUBSCRIPTIONS);
          return;
        }
        dialog = open(request, user, events, event, target, until);
      } else {
        EventDialog old = dialogs.get(key(message));
        if (old == null || !old.user().equals(user) || !old.event().equals(event)) {
          refuse(request, Refusal.UNKNOWN_DIALOG);
          return;
        }
        if (message.cseq().number() <= old.remoteCseq()) {
          refuse(request, Refusal.OUT_OF_ORDER); // RFC 3261 section 12.2.2
          return;
        }
        dialog = ours(old).refreshed(target, trust.flow(request), message.cseq().number(), until);
      }
      put(dialog);
    }
    meters.count(seconds == 0 ? SipMeters.Event.UNSUBSCRIBED : SipMeters.Event.SUBSCRIBED);
    SipResponse ok = SipResponse.to(message, 200);
    request.answer(
        dialog
            .path()
            .accepted(message, ok.withHeaders(ok.headers().replaceFirst("To", dialog.local())))
            .with("Expires", Long.toString(seconds)));
    look(dialog.key());
  }

  private EventDialog open(
      IncomingRequest request,
      String user,
      EventPackage<?> events,
      String event,
      String target,
      Instant until) {
    SipRequest message = request.message();
    String tag = SipEndpoint.token();
    return new EventDialog(
        new EventDialog.Key(message.callId(), tag, message.from().tag()),
        user,
        events,
        event,
        message.headers().require("From"),
        message.headers().require("To") + ";tag=" + tag,
        target,
        trust.path(request, user, endpoint),
        0,
        message.cseq().number(),
        until,
        null,
        null);
  }

  private static EventDialog.Key key(SipRequest subscribe) {
    return new EventDialog.Key(subscribe.callId(), subscribe.to().tag(), subscribe.from().tag());
  }

  /// Sends the NOTIFYs that are due: ends of subscriptions, and changes of their states.
  public void onClock() {
    List<EventDialog.Key> all;
    synchronized (this) {
      all = List.copyOf(dialogs.keySet());
    }
    all.forEach(this::look);
  }

  private void look(EventDialog.Key key) {
    Instant now = clock.instant();
    EventDialog dialog;
    String end;
    synchronized (this) {
      EventDialog old = dialogs.get(key);
      if (old == null || endpoint == null || !subscribers.isLoaded()) {
        return; // without the directory, each user would look unknown
      }
      if (!duty.isOurs(old.path().flow(), key.callId())) {
        if (!now.isBefore(old.expires())) {
          drop(key); // the other bridge has ended it, or is away
        }
        return;
      }
      end = end(old, now);
      // The answer to a SUBSCRIBE has the state, also if it only fetches (RFC 6665 section 4.4.3).
      if (end.isEmpty() || (old.told() == null && end.equals(TIMEOUT))) {
        end = "";
        Object trigger = old.events().trigger(old.user(), now);
        if (trigger.equals(old.trigger())) {
          return;
        }
        dialog = old.looked(trigger);
        keep(dialog);
      } else {
        dialog = ours(old).notified(old.told());
        remove(old);
      }
    }
    if (end.isEmpty()) {
      tell(dialog.events(), dialog, now);
    } else {
      send(dialog, notify(dialog, "terminated;reason=" + end));
    }
  }

  private <S> void tell(EventPackage<S> events, EventDialog dialog, Instant now) {
    var unused =
        events
            .state(dialog.user(), now)
            .thenAccept(state -> {
              Instant then = clock.instant();
              EventDialog next;
              String end;
              synchronized (this) {
                EventDialog current = dialogs.get(dialog.key());
                if (current == null || Objects.equals(state, current.told())) {
                  return;
                }
                next = ours(current).notified(state);
                end = end(next, then);
                if (end.isEmpty()) {
                  put(next);
                } else {
                  remove(next);
                }
              }
              long left = Math.max(1, Duration.between(then, next.expires()).toSeconds());
              int version = (int) (next.cseq() - 1);
              send(
                  next,
                  notify(
                          next,
                          end.isEmpty() ? "active;expires=" + left : "terminated;reason=" + end)
                      .withBody(
                          events.type(),
                          SipBody.of(events.document(next.user(), state, version, then))));
            });
  }

  /// Returns the reason (RFC 6665 section 4.2.2) if a subscription has ended, else "".
  private String end(EventDialog dialog, Instant now) {
    if (!now.isBefore(dialog.expires())) {
      return TIMEOUT;
    }
    return subscribers.isActive(dialog.user()) ? "" : "rejected";
  }

  private void send(EventDialog dialog, SipRequest notify) {
    RequestSender out = endpoint;
    if (out == null) {
      return;
    }
    var unused =
        out.send(notify, dialog.path().flow())
            .whenComplete((response, _) -> {
              boolean delivered = response != null && response.isSuccess();
              meters.count(delivered ? SipMeters.Event.NOTIFIED : SipMeters.Event.NOTIFY_FAILED);
              if (!delivered) {
                forget(dialog);
              }
            });
  }

  /// Removes a subscription whose NOTIFY failed (RFC 6665 section 4.2.2), unless it was refreshed,
  /// or a later NOTIFY has been sent, or the flow is another bridge's: a NAT may let in only what
  /// that bridge sends.
  private synchronized void forget(EventDialog failed) {
    EventDialog now = dialogs.get(failed.key());
    if (now != null
        && now.path().flow().owner().isEmpty()
        && now.remoteCseq() == failed.remoteCseq()
        && now.cseq() == failed.cseq()) {
      remove(now);
    }
  }

  private void remove(EventDialog dialog) {
    drop(dialog.key());
    if (!replicas.isAlone()) {
      replicas.remove(ReplicaKind.EVENT, dialog.key().text());
    }
  }

  private SipRequest notify(EventDialog dialog, String state) {
    return new SipRequest(
        "NOTIFY",
        dialog.target(),
        dialog
            .path()
            .routed(
                SipHeaders.NONE
                    .with("Max-Forwards", "70")
                    .with("From", dialog.local())
                    .with("To", dialog.remote())
                    .with("Call-ID", dialog.key().callId())
                    .with("CSeq", dialog.cseq() + " NOTIFY")
                    .with("Event", dialog.event())
                    .with("Subscription-State", state)));
  }

  private void refuse(IncomingRequest request, Refusal reason) {
    meters.count(reason);
    SipResponse response = authentication.response(reason, request.message());
    request.answer(
        reason == Refusal.FOREIGN_IDENTITY ? response.withReason("Not Your Identity") : response);
  }
}
