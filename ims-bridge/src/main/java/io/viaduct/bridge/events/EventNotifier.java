package io.viaduct.bridge.events;

import io.viaduct.bridge.core.DialogPath;
import io.viaduct.bridge.core.TrustDomain;
import io.viaduct.bridge.registrar.Authentication;
import io.viaduct.bridge.registrar.LocationService;
import io.viaduct.bridge.registrar.Refusal;
import io.viaduct.bridge.registrar.SipMeters;
import io.viaduct.bridge.registrar.SipService;
import io.viaduct.bridge.registrar.Subscribers;
import io.viaduct.bridge.replication.Duty;
import io.viaduct.bridge.replication.Replicas;
import io.viaduct.bridge.subscription.DialogKey;
import io.viaduct.bridge.subscription.EventHeader;
import io.viaduct.bridge.subscription.ExpiryBounds;
import io.viaduct.bridge.subscription.NotifierTick;
import io.viaduct.bridge.subscription.NotifySender;
import io.viaduct.bridge.subscription.SubscribeRequest;
import io.viaduct.bridge.subscription.SubscriptionDialog;
import io.viaduct.bridge.subscription.SubscriptionTable;
import io.viaduct.bridge.subscription.SubscriptionTable.Found;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipRequest;
import io.viaduct.usage.v1.ReplicaKind;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Notifier of the event packages that tell a user about the own account (RFC 6665): the
/// Request-URI names the user who authenticates. A subscription gets a NOTIFY at once, at each
/// change of the state, and when it ends. Bridges share the subscriptions; the one whose socket has
/// the flow sends the NOTIFYs, another one while that is away ([Duty]). Thread-safe; the
/// subscriptions are guarded by the lock of their table, which is never held while sending.
public final class EventNotifier implements SipService.Notifier {
  /// Most subscriptions of one user: some phones, each with both packages.
  private static final int OF_USER_MAX = 16;

  private static final String TIMEOUT = "timeout";

  /// Bounds of subscriptions and of their expiry.
  ///
  /// @param subscriptions most in all
  public record Limits(int subscriptions, ExpiryBounds expiry) {}

  private final Limits limits;
  private final Map<String, EventPackage<?>> packages;
  private final Authentication authentication;
  private final TrustDomain trust;
  private final Subscribers subscribers;
  private final Duty duty;
  private final SipMeters meters;
  private final InstantSource clock;
  private final SubscriptionTable<AccountSubscription> table;
  private final NotifySender sender;
  private final NotifierTick tick; // used by the clock's thread, as isBegun
  private boolean isBegun;

  EventNotifier(
      Limits limits,
      List<EventPackage<?>> packages,
      Authentication authentication,
      TrustDomain trust,
      Subscribers subscribers,
      LocationService locations,
      Replicas replicas,
      Duty duty,
      SipMeters meters,
      InstantSource clock) {
    this.limits = limits;
    this.packages =
        packages.stream().collect(Collectors.toMap(EventPackage::name, Function.identity()));
    this.authentication = authentication;
    this.trust = trust;
    this.subscribers = subscribers;
    this.duty = duty;
    this.meters = meters;
    this.clock = clock;
    this.table =
        new SubscriptionTable<>(
            ReplicaKind.EVENT, replicas, AccountSubscription::user, new EventText(this.packages));
    this.sender = new NotifySender(table, meters, clock);
    this.tick = new NotifierTick(table);
    subscribers.onChange(change -> table.touch(change.user(), clock.instant()));
    locations.watch(user -> table.touch(user, clock.instant()));
  }

  /// Sets the endpoint that NOTIFYs are sent through.
  public void attach(RequestSender opened) {
    sender.attach(opened);
  }

  public int size() {
    return table.size();
  }

  private static String event(SipRequest subscribe) {
    return subscribe.headers().first("Event").orElse("");
  }

  /// Returns whether a SUBSCRIBE asks for one of the event packages.
  boolean takes(SipRequest subscribe) {
    return packages.containsKey(EventHeader.name(event(subscribe)));
  }

  @Override
  public void onSubscribe(IncomingRequest request) {
    authentication
        .subscriber(request)
        .ifPresent(
            user -> onSubscribe(new SubscribeRequest(request, user, authentication.domain())));
  }

  private void onSubscribe(SubscribeRequest subscribe) {
    SipRequest message = subscribe.message();
    EventPackage<?> events = packages.get(EventHeader.name(event(message)));
    Optional<String> event =
        events == null ? Optional.empty() : EventHeader.parse(event(message), events.name());
    if (events == null || event.isEmpty()) {
      subscribe.refuse(Refusal.UNKNOWN_EVENT, meters);
      return;
    }
    // Inside a dialog the Request-URI is the Contact that the bridge gave.
    if (subscribe.isFirst() && !authentication.names(message.uri(), subscribe.user())) {
      refuseForeign(subscribe);
      return;
    }
    if (DialogPath.isTooLong(message)) {
      subscribe.refuse(Refusal.TOO_MANY_HOPS, meters);
      return;
    }
    if (!subscribe.accepts(events.type())) {
      subscribe.refuse(Refusal.NOT_ACCEPTABLE, meters);
      return;
    }
    if (subscribe.isRefusedAsTooBrief(limits.expiry, meters)) {
      return;
    }
    String target;
    try {
      target = subscribe.target();
    } catch (IllegalArgumentException e) {
      subscribe.refuse(Refusal.MALFORMED_CONTACT, meters);
      return;
    }
    accept(subscribe, events, event.get(), target);
  }

  private void refuseForeign(SubscribeRequest subscribe) {
    meters.count(Refusal.FOREIGN_IDENTITY);
    subscribe
        .request()
        .answer(
            authentication
                .response(Refusal.FOREIGN_IDENTITY, subscribe.message())
                .withReason("Not Your Identity"));
  }

  private void accept(
      SubscribeRequest subscribe, EventPackage<?> events, String event, String target) {
    long seconds = limits.expiry.granted(subscribe);
    Instant until = clock.instant().plusSeconds(seconds);
    AccountSubscription subscription;
    synchronized (table) {
      if (subscribe.isFirst()) {
        if (table.size() >= limits.subscriptions || table.count(subscribe.user()) >= OF_USER_MAX) {
          subscribe.refuse(Refusal.TOO_MANY_SUBSCRIPTIONS, meters);
          return;
        }
        DialogPath path = trust.path(subscribe.request(), subscribe.user(), sender.endpoint());
        subscription =
            AccountSubscription.open(
                SubscriptionDialog.open(subscribe, event, target, path, until), events);
      } else {
        switch (table.find(subscribe, event)) {
          case Found.Refused(Refusal reason) -> {
            subscribe.refuse(reason, meters);
            return;
          }
          case Found.Known(AccountSubscription known) ->
              subscription =
                  known
                      .with(
                          known
                              .dialog()
                              .refreshed(subscribe, target, trust.flow(subscribe.request()), until))
                      .due();
        }
      }
      table.put(subscription);
    }
    subscribe.accept(subscription.dialog(), seconds, meters);
    var unused = look(subscription.dialog().key());
  }

  /// Sends the NOTIFYs that are due: ends of subscriptions, and changes of their states. Called on
  /// one thread.
  public void onClock() {
    sender.onClock();
    if (isReady()) {
      tick.run(clock.instant(), !isBegun || duty.isMoving(), this::look);
      isBegun = true;
    }
  }

  // Without the directory, each user would look unknown.
  private boolean isReady() {
    return sender.endpoint() != null && subscribers.isLoaded();
  }

  /// @return whether a NOTIFY was sent, or will be after an answer of billing
  private boolean look(DialogKey key) {
    Instant now = clock.instant();
    AccountSubscription subscription;
    String end;
    synchronized (table) {
      AccountSubscription old = table.get(key);
      if (old == null || !isReady()) {
        return false;
      }
      if (!duty.isOurs(old.dialog().path().flow(), key.callId())) {
        if (now.isBefore(old.dialog().expires())) {
          table.rest(old);
        } else {
          table.drop(key); // the other bridge has ended it, or is away
        }
        return false;
      }
      end = end(old, now);
      // The answer to a SUBSCRIBE has the state, also if it only fetches (RFC 6665 section 4.4.3).
      if (end.isEmpty() || (old.told() == null && end.equals(TIMEOUT))) {
        end = "";
        Object trigger = old.events().trigger(old.user(), now);
        if (trigger.equals(old.trigger())) {
          return false;
        }
        subscription = old.looked(trigger, old.events().next(old.user(), now));
        table.keep(subscription);
      } else {
        subscription = table.ours(old).notified(old.told());
        table.remove(key);
      }
    }
    if (end.isEmpty()) {
      tell(subscription.events(), subscription, now);
    } else {
      sender.end(subscription.dialog(), ending(subscription, end, now));
    }
    return true;
  }

  private static SipRequest ending(AccountSubscription subscription, String end, Instant now) {
    SubscriptionDialog dialog = subscription.dialog();
    SipRequest last = dialog.terminated(end);
    if (end.equals(TIMEOUT)) {
      return last;
    }
    EventPackage<?> events = subscription.events();
    return events
        .ending(subscription.user(), subscription.told(), version(dialog), now)
        .map(text -> last.withBody(events.type(), SipBody.of(text)))
        .orElse(last);
  }

  private static int version(SubscriptionDialog dialog) {
    return (int) (dialog.cseq() - 1);
  }

  private <S> void tell(EventPackage<S> events, AccountSubscription subscription, Instant now) {
    DialogKey key = subscription.dialog().key();
    var unused =
        events
            .state(subscription.user(), now)
            .thenAccept(state -> {
              Instant then = clock.instant();
              AccountSubscription next;
              Object told;
              String end;
              synchronized (table) {
                AccountSubscription current = table.get(key);
                if (current == null || Objects.equals(state, current.told())) {
                  return;
                }
                told = current.told();
                next = table.ours(current).notified(state);
                end = end(next, then);
                if (end.isEmpty()) {
                  table.put(next);
                } else {
                  table.remove(key);
                }
              }
              SubscriptionDialog dialog = next.dialog();
              SipBody body =
                  SipBody.of(events.document(next.user(), state, told, version(dialog), then));
              if (end.isEmpty()) {
                sender.send(dialog, dialog.active(then).withBody(events.type(), body));
              } else {
                sender.end(dialog, dialog.terminated(end).withBody(events.type(), body));
              }
            });
  }

  /// Returns the reason (RFC 6665 section 4.2.2) if a subscription has ended, else "".
  private String end(AccountSubscription subscription, Instant now) {
    if (!now.isBefore(subscription.dialog().expires())) {
      return TIMEOUT;
    }
    return subscribers.isActive(subscription.user()) ? "" : "rejected";
  }
}
