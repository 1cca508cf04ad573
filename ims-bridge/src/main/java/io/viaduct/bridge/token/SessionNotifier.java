package io.viaduct.bridge.token;

import io.viaduct.bridge.core.ChargingVector;
import io.viaduct.bridge.core.CoreRegistration;
import io.viaduct.bridge.core.TrustDomain;
import io.viaduct.bridge.directory.Relay;
import io.viaduct.bridge.directory.RelayAddresses;
import io.viaduct.bridge.directory.SnaptDirectory;
import io.viaduct.bridge.registrar.Authentication;
import io.viaduct.bridge.registrar.CreditState;
import io.viaduct.bridge.registrar.LocationService;
import io.viaduct.bridge.registrar.Refusal;
import io.viaduct.bridge.registrar.SipMeters;
import io.viaduct.bridge.registrar.SipService;
import io.viaduct.bridge.registrar.Subscribers;
import io.viaduct.bridge.replication.Duty;
import io.viaduct.bridge.replication.Replicas;
import io.viaduct.bridge.subscription.DialogKey;
import io.viaduct.bridge.subscription.ExpiryBounds;
import io.viaduct.bridge.subscription.NotifierTick;
import io.viaduct.bridge.subscription.NotifySender;
import io.viaduct.bridge.subscription.SubscribeRequest;
import io.viaduct.bridge.subscription.SubscriptionDialog;
import io.viaduct.bridge.subscription.SubscriptionTable;
import io.viaduct.bridge.subscription.SubscriptionTable.Found;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.RequestSender;
import io.viaduct.usage.v1.ReplicaKind;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Notifier of event package `snapt-session` (RFC 6665). A subscription gets a NOTIFY at once, when
/// its token ages, when the list of SNAPTs or the state of the account's credit changes, and when
/// it ends. Bridges share the subscriptions; the one whose socket has the flow sends the NOTIFYs,
/// another one while that is away ([Duty]). Thread-safe; the subscriptions are guarded by the lock
/// of their table, which is never held while sending.
public final class SessionNotifier implements SipService.Notifier {
  static final String EVENT = "snapt-session";

  /// Most subscriptions of one device: the one in use, and one left over from before a restart. So
  /// an account has at most twice `devices-max` subscriptions.
  private static final int OF_DEVICE_MAX = 2;

  /// Settings of subscriptions: their bounds, and the bounds of their expiry.
  ///
  /// @param reportInterval interval between usage reports, sent to devices
  /// @param first ids of the SNAPTs that devices try first, in this order
  public record Settings(
      String domain,
      int subscriptions,
      Duration least,
      Duration most,
      Duration usual,
      Duration reportInterval,
      List<String> first) {
    /// Copies the list.
    public Settings {
      first = List.copyOf(first);
    }

    ExpiryBounds bounds() {
      return new ExpiryBounds(least, most, usual);
    }
  }

  private final Settings settings;
  private final Authentication authentication;
  private final TrustDomain trust;
  private final LocationService locations;
  private final Subscribers subscribers;
  private final SnaptDirectory directory;
  private final Duty duty;
  private final SipMeters meters;
  private final InstantSource clock;
  private final SessionAdmission admission;
  private final SessionGrants grants;
  private final SubscriptionTable<DeviceSubscription> table;
  private final NotifySender sender;
  private final NotifierTick tick; // used by the clock's thread, as lastRelays
  private @Nullable List<Relay> lastRelays;

  public SessionNotifier(
      Settings settings,
      Authentication authentication,
      TrustDomain trust,
      LocationService locations,
      Subscribers subscribers,
      DeviceLimit devices,
      SnaptDirectory directory,
      RelayAddresses addresses,
      TokenIssuer tokens,
      Replicas replicas,
      Duty duty,
      SipMeters meters,
      InstantSource clock) {
    this.settings = settings;
    this.authentication = authentication;
    this.trust = trust;
    this.locations = locations;
    this.subscribers = subscribers;
    this.directory = directory;
    this.duty = duty;
    this.meters = meters;
    this.clock = clock;
    this.admission = new SessionAdmission(settings, locations, subscribers, devices, meters, clock);
    this.grants = new SessionGrants(settings, addresses, tokens, locations);
    this.table =
        new SubscriptionTable<>(
            ReplicaKind.SESSION,
            replicas,
            DeviceSubscription::device,
            new SessionText(directory, subscribers));
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

  @Override
  public void onSubscribe(IncomingRequest request) {
    authentication
        .subscriber(request)
        .flatMap(user -> admission.admit(new SubscribeRequest(request, user, settings.domain)))
        .ifPresent(this::accept);
  }

  private void accept(SessionAdmission.Admitted admitted) {
    SubscribeRequest subscribe = admitted.subscribe();
    Instant until = clock.instant().plusSeconds(admitted.seconds());
    DeviceSubscription subscription;
    Optional<DeviceSubscription> surplus;
    synchronized (table) {
      if (subscribe.isFirst()) {
        if (table.size() >= settings.subscriptions) {
          subscribe.refuse(Refusal.TOO_MANY_SUBSCRIPTIONS, meters);
          return;
        }
        subscription = open(admitted, until);
      } else {
        switch (table.find(subscribe, admitted.event())) {
          case Found.Refused(Refusal reason) -> {
            subscribe.refuse(reason, meters);
            return;
          }
          case Found.Known(DeviceSubscription known) ->
              subscription =
                  known.refreshed(
                      known
                          .dialog()
                          .refreshed(
                              subscribe, admitted.target(), trust.flow(subscribe.request()), until),
                      admitted.deviceKey());
        }
      }
      table.put(subscription);
      surplus = table.surplus(subscription, OF_DEVICE_MAX);
      surplus.ifPresent(old -> table.remove(old.dialog().key()));
    }
    surplus.ifPresent(this::leave);
    subscribe.accept(subscription.dialog(), admitted.seconds(), meters);
    var unused = notifyIfDue(subscription.dialog().key());
  }

  private DeviceSubscription open(SessionAdmission.Admitted admitted, Instant until) {
    SubscribeRequest subscribe = admitted.subscribe();
    return new DeviceSubscription(
        SubscriptionDialog.open(
            subscribe,
            admitted.event(),
            admitted.target(),
            trust.path(subscribe.request(), "snapt", sender.endpoint()),
            until),
        admitted.deviceKey(),
        UUID.randomUUID().toString(),
        vector(subscribe.request(), subscribe.user()).icid(),
        Instant.EPOCH,
        List.of(),
        CreditState.SUFFICIENT);
  }

  /// Returns the charging identifier of a session: that of the core for the SUBSCRIBE, else for the
  /// user's registration; else a new one.
  private ChargingVector vector(IncomingRequest request, String user) {
    return trust
        .vector(request)
        .or(() -> trust.peer(request.flow()).flatMap(_ -> ofRegistration(user)))
        .orElseGet(() -> ChargingVector.made(settings.domain));
  }

  private Optional<ChargingVector> ofRegistration(String user) {
    return locations.bindings(user, clock.instant()).stream()
        .flatMap(contact -> contact.core().flatMap(CoreRegistration::vector).stream())
        .findFirst();
  }

  /// Sends the NOTIFYs that are due: ends of subscriptions, new tokens, a changed list of SNAPTs, a
  /// changed state of the credit. Called on one thread.
  public void onClock() {
    sender.onClock();
    if (isReady()) {
      List<Relay> relays = directory.relays(); // the same object until it changes
      boolean isForAll = relays != lastRelays || duty.isMoving();
      lastRelays = relays;
      tick.run(clock.instant(), isForAll, this::notifyIfDue);
    }
  }

  // Without the directory of users, each user would look unknown.
  private boolean isReady() {
    return sender.endpoint() != null && subscribers.isLoaded();
  }

  /// Sends a NOTIFY if one is due. The request's thread and the clock's thread may call this at the
  /// same time for one subscription. One lock covers the check and its record: each NOTIFY is sent
  /// once, and no user gets a token after the end of his registration.
  ///
  /// @return whether one was sent
  private boolean notifyIfDue(DialogKey key) {
    Instant now = clock.instant();
    DeviceSubscription current;
    String end;
    synchronized (table) {
      DeviceSubscription old = table.get(key);
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
      // Read under the lock: a round that follows a change finds what was sent before it.
      List<Relay> relays = directory.relays();
      end = end(old, now);
      CreditState credit = subscribers.credit(old.user());
      if (end.isEmpty()
          && now.isBefore(old.renewAt())
          && relays.equals(old.relays())
          && credit == old.credit()) {
        return false;
      }
      current = table.ours(old).notified(grants.renewal(now), relays, credit);
      if (end.isEmpty()) {
        table.put(current);
      } else {
        table.remove(key);
      }
    }
    if (end.isEmpty()) {
      sender.send(current.dialog(), grants.notify(current, now));
    } else {
      sender.end(current.dialog(), current.dialog().terminated(end));
    }
    return true;
  }

  /// Ends a subscription that a later subscription of the same device has replaced.
  private void leave(DeviceSubscription old) {
    SubscriptionDialog last = old.dialog().notified();
    sender.end(last, last.terminated("noresource"));
  }

  /// Returns the reason (RFC 6665 section 4.2.2) if a subscription has ended, else "".
  private String end(DeviceSubscription s, Instant now) {
    if (!now.isBefore(s.dialog().expires())) {
      return "timeout";
    }
    if (!subscribers.isActive(s.user()) || !subscribers.hasDevice(s.user(), s.deviceKey())) {
      // The account is suspended or closed, or the device was removed: a retry would fail too.
      return "rejected";
    }
    return locations.isRegistered(s.user(), now) ? "" : "deactivated";
  }
}
