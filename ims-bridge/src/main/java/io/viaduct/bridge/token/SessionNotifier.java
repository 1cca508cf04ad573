package io.viaduct.bridge.token;

import io.viaduct.bridge.core.ChargingVector;
import io.viaduct.bridge.core.CoreRegistration;
import io.viaduct.bridge.core.DialogPath;
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
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.NameAddress;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipException;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.endpoint.SipEndpoint;
import io.viaduct.usage.v1.ReplicaEntry;
import io.viaduct.usage.v1.ReplicaKind;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/// Notifier of event package `snapt-session` (RFC 6665). A subscription gets a NOTIFY at once, when
/// its token ages, when the list of SNAPTs or the state of the account's credit changes, and when
/// it ends. Bridges share the subscriptions; the one whose socket has the flow sends the NOTIFYs,
/// another one while that is away ([Duty]). Thread-safe; the dialogs are guarded by this object's
/// lock, which is never held while sending.
public final class SessionNotifier implements SipService.Notifier {
  private static final String JSON = "application/json";
  private static final Set<String> JSON_RANGES = Set.of(JSON, "application/*", "*/*");

  /// Most NOTIFYs of one tick of the clock, four of which make a second: when the list of SNAPTs
  /// changes, all devices get one, and requests need the processor too.
  private static final int PER_TICK_MAX = 1_000;

  /// A user who has topped up waits at least for this time.
  private static final String CREDIT_RETRY_SECONDS = "5";

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
  }

  /// The content of a valid SUBSCRIBE.
  ///
  /// @param target Contact of the subscriber: the Request-URI of NOTIFYs
  private record SubscribeRequest(
      String user, SessionEvent event, long seconds, byte[] deviceKey, String target) {}

  private int begin; // of the clock's thread
  private final Settings settings;
  private final Authentication authentication;
  private final TrustDomain trust;
  private final LocationService locations;
  private final Subscribers subscribers;
  private final DeviceLimit devices;
  private final SnaptDirectory directory;
  private final RelayAddresses addresses;
  private final TokenIssuer tokens;
  private final Replicas replicas;
  private final Duty duty;
  private final SipMeters meters;
  private final InstantSource clock;
  private final Dialogs dialogs = new Dialogs();
  private volatile @Nullable RequestSender endpoint;

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
    this.devices = devices;
    this.directory = directory;
    this.addresses = addresses;
    this.tokens = tokens;
    this.replicas = replicas;
    this.duty = duty;
    this.meters = meters;
    this.clock = clock;
    replicas.attach(ReplicaKind.SESSION, this::take);
  }

  /// Takes a subscription of another bridge, or its end.
  private synchronized void take(ReplicaEntry entry) {
    if (!replicas.isCurrent(entry)) {
      return;
    }
    if (Replicas.isRemoval(entry)) {
      dialogs.remove(Subscription.Key.parse(entry.getKey()));
      return;
    }
    String user = entry.getSession().getDialog().getUser();
    dialogs.put(
        SessionText.read(
            entry.getSession(), replicas.self(), directory.relays(), subscribers.credit(user)));
  }

  // Both are called with the lock.
  private void put(Subscription subscription) {
    dialogs.put(subscription);
    if (!replicas.isAlone()) {
      replicas.put(
          ReplicaKind.SESSION,
          subscription.key().text(),
          subscription.expires(),
          entry -> entry.setSession(SessionText.write(subscription, replicas.self())));
    }
  }

  private void remove(Subscription.Key key) {
    dialogs.remove(key);
    if (!replicas.isAlone()) {
      replicas.remove(ReplicaKind.SESSION, key.text());
    }
  }

  /// Returns a subscription as this bridge goes on with it.
  private Subscription ours(Subscription known) {
    return replicas.isAlone() || replicas.isOwn(ReplicaKind.SESSION, known.key().text())
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

  @Override
  public void onSubscribe(IncomingRequest request) {
    SipRequest message = request.message();
    Optional<String> user = authentication.subscriber(request);
    if (user.isEmpty()) {
      return;
    }
    Optional<SessionEvent> event = SessionEvent.parse(message.headers().first("Event").orElse(""));
    if (event.isEmpty()) {
      refuse(request, Refusal.UNKNOWN_EVENT);
      return;
    }
    Optional<Refusal> refusal = refusal(message, user.get());
    if (refusal.isPresent()) {
      refuse(request, refusal.get());
      return;
    }
    long asked = expiry(message);
    if (asked != 0 && asked < settings.least.toSeconds()) {
      meters.count(Refusal.INTERVAL_TOO_BRIEF);
      request.answer(
          Refusal.INTERVAL_TOO_BRIEF
              .response(message, settings.domain)
              .with("Min-Expires", Long.toString(settings.least.toSeconds())));
      return;
    }
    byte[] deviceKey;
    String target;
    try {
      deviceKey = SessionDocument.deviceKey(message.body().text());
      target = NameAddress.parse(message.headers().first("Contact").orElse("")).sipUri().toString();
    } catch (IllegalArgumentException e) {
      refuse(request, Refusal.MALFORMED_DEVICE_KEY);
      return;
    }
    long seconds = Math.min(asked, settings.most.toSeconds());
    boolean isNew = message.to().tag().isEmpty() && seconds != 0;
    if (isNew && subscribers.credit(user.get()) == CreditState.EXHAUSTED) {
      refuseWithoutCredit(request, user.get());
      return;
    }
    if (seconds != 0 && !mayHaveTokens(request, user.get(), deviceKey)) {
      return;
    }
    accept(request, new SubscribeRequest(user.get(), event.get(), seconds, deviceKey, target));
  }

  /// Asks billing about a device key that is not in the directory. Blocks: each request runs on its
  /// own virtual thread.
  private boolean mayHaveTokens(IncomingRequest request, String user, byte[] deviceKey) {
    switch (devices.bind(user, deviceKey)) {
      case DeviceLimit.Verdict.Bound _ -> {
        return true;
      }
      case DeviceLimit.Verdict.TooMany(int max) ->
          refuse(
              request,
              Refusal.TOO_MANY_DEVICES,
              "Too Many Devices",
              "account %s has its %d devices: remove one on the account's page first"
                  .formatted(user, max));
      case DeviceLimit.Verdict.NotEntitled _ ->
          refuse(
              request,
              Refusal.NOT_ENTITLED,
              "Account Not Entitled",
              "account " + user + " may not open a session: ask your operator");
      case DeviceLimit.Verdict.Unknown _ -> {
        meters.count(Refusal.BILLING_AWAY);
        request.answer(
            SipResponse.to(request.message(), Refusal.BILLING_AWAY.status())
                .with("Retry-After", "5")
                .withWarning(settings.domain, "billing does not answer, and this device is new"));
      }
    }
    return false;
  }

  private void refuseWithoutCredit(IncomingRequest request, String user) {
    meters.count(Refusal.NO_CREDIT);
    request.answer(
        SipResponse.to(request.message(), Refusal.NO_CREDIT.status())
            .withReason("Payment Required")
            .with("Retry-After", CREDIT_RETRY_SECONDS)
            .withWarning(
                settings.domain,
                "the credit of account %s is used up: top up, and the session opens"
                    .formatted(user)));
  }

  private void refuse(IncomingRequest request, Refusal reason, String phrase, String words) {
    meters.count(reason);
    request.answer(
        SipResponse.to(request.message(), reason.status())
            .withReason(phrase)
            .withWarning(settings.domain, words));
  }

  private Optional<Refusal> refusal(SipRequest message, String user) {
    if (DialogPath.isTooLong(message)) {
      return Optional.of(Refusal.TOO_MANY_HOPS);
    }
    List<String> accepted = message.headers().values("Accept");
    if (!accepted.isEmpty() && accepted.stream().noneMatch(SessionNotifier::isJson)) {
      return Optional.of(Refusal.NOT_ACCEPTABLE);
    }
    return locations.isRegistered(user, clock.instant())
        ? Optional.empty()
        : Optional.of(Refusal.SUBSCRIBER_NOT_REGISTERED);
  }

  /// Returns whether a media range includes JSON (RFC 3261 section 20.1).
  private static boolean isJson(String range) {
    return JSON_RANGES.contains(range.split(";", 2)[0].strip().toLowerCase(Locale.ROOT));
  }

  private long expiry(SipRequest message) {
    return message
        .headers()
        .first("Expires")
        .map(Long::parseLong)
        .orElse(settings.usual.toSeconds());
  }

  private void accept(IncomingRequest request, SubscribeRequest subscribe) {
    SipRequest message = request.message();
    Instant until = clock.instant().plusSeconds(subscribe.seconds);
    Subscription subscription;
    Optional<Subscription> surplus;
    synchronized (this) {
      if (message.to().tag().isEmpty()) {
        if (dialogs.size() >= settings.subscriptions) {
          refuse(request, Refusal.TOO_MANY_SUBSCRIPTIONS);
          return;
        }
        subscription = open(request, subscribe, until);
      } else {
        Subscription old = dialogs.get(key(message));
        if (old == null
            || !old.user().equals(subscribe.user)
            || !old.event().equals(subscribe.event)) {
          refuse(request, Refusal.UNKNOWN_DIALOG);
          return;
        }
        long cseq = message.cseq().number();
        if (cseq <= old.remoteCseq()) {
          refuse(request, Refusal.OUT_OF_ORDER); // RFC 3261 section 12.2.2
          return;
        }
        subscription =
            ours(old)
                .refreshed(subscribe.target, trust.flow(request), subscribe.deviceKey, cseq, until);
      }
      put(subscription);
      surplus = dialogs.surplus(subscription);
      surplus.ifPresent(old -> remove(old.key()));
    }
    surplus.ifPresent(this::leave);
    meters.count(
        subscribe.seconds == 0 ? SipMeters.Event.UNSUBSCRIBED : SipMeters.Event.SUBSCRIBED);
    SipResponse ok = SipResponse.to(message, 200);
    request.answer(
        subscription
            .path()
            .accepted(
                message, ok.withHeaders(ok.headers().replaceFirst("To", subscription.local())))
            .with("Expires", Long.toString(subscribe.seconds)));
    var unused = notifyIfDue(subscription.key());
  }

  private Subscription open(IncomingRequest request, SubscribeRequest subscribe, Instant until) {
    SipRequest message = request.message();
    String tag = SipEndpoint.token();
    return new Subscription(
        new Subscription.Key(message.callId(), tag, message.from().tag()),
        subscribe.user,
        subscribe.event,
        message.headers().require("From"),
        message.headers().require("To") + ";tag=" + tag,
        subscribe.target,
        trust.path(request, "snapt", endpoint),
        subscribe.deviceKey,
        UUID.randomUUID().toString(),
        vector(request, subscribe.user).text(),
        0,
        message.cseq().number(),
        until,
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

  private static Subscription.Key key(SipRequest subscribe) {
    return new Subscription.Key(subscribe.callId(), subscribe.to().tag(), subscribe.from().tag());
  }

  /// Sends the NOTIFYs that are due: ends of subscriptions, new tokens, a changed list of SNAPTs, a
  /// changed state of the credit. Those above [#PER_TICK_MAX] follow at the next calls, which begin
  /// where this one ends: so a list that changes often keeps nobody from his token. Called on one
  /// thread.
  public void onClock() {
    List<Subscription.Key> all;
    synchronized (this) {
      all = dialogs.keys();
    }
    int sent = 0;
    for (int i = 0; i < all.size(); i++) {
      int at = (begin + i) % all.size();
      sent += notifyIfDue(all.get(at)) ? 1 : 0;
      if (sent == PER_TICK_MAX) {
        begin = at + 1;
        return;
      }
    }
    begin = 0;
  }

  /// Sends a NOTIFY if one is due. The request's thread and the clock's thread may call this at the
  /// same time for one subscription. One lock covers the check and its record: each NOTIFY is sent
  /// once, and no user gets a token after the end of his registration.
  ///
  /// @return whether one was sent
  private boolean notifyIfDue(Subscription.Key key) {
    RequestSender out = endpoint;
    Instant now = clock.instant();
    List<Relay> relays = directory.relays();
    Subscription current;
    String end;
    synchronized (this) {
      Subscription old = dialogs.get(key);
      if (old == null || out == null || !subscribers.isLoaded()) {
        return false; // without the directory, each user would look unknown
      }
      if (!duty.isOurs(old.path().flow(), key.callId())) {
        if (!now.isBefore(old.expires())) {
          dialogs.remove(key); // the other bridge has ended it, or is away
        }
        return false;
      }
      end = end(old, now);
      CreditState credit = subscribers.credit(old.user());
      if (end.isEmpty()
          && now.isBefore(old.renewAt())
          && relays.equals(old.relays())
          && credit == old.credit()) {
        return false;
      }
      current = ours(old).notified(now.plus(tokens.renewAfter()), relays, credit);
      if (end.isEmpty()) {
        put(current);
      } else {
        remove(key);
      }
    }
    send(out, end.isEmpty() ? grant(current, now) : terminated(current, end), current);
    return true;
  }

  /// Ends a subscription that a later subscription of the same device has replaced.
  private void leave(Subscription old) {
    RequestSender out = endpoint;
    if (out != null) {
      Subscription last = old.notified(Instant.MAX, old.relays(), old.credit());
      send(out, terminated(last, "noresource"), last);
    }
  }

  private void send(RequestSender out, SipRequest notify, Subscription current) {
    var unused =
        out.send(notify, current.path().flow())
            .whenComplete((response, failure) -> {
              boolean delivered = response != null && response.isSuccess();
              meters.count(delivered ? SipMeters.Event.NOTIFIED : SipMeters.Event.NOTIFY_FAILED);
              if (isNotSent(failure)) {
                sendAgain(current);
              } else if (!delivered) {
                forget(current);
              }
            });
  }

  /// Returns whether a NOTIFY stayed here because too many requests wait for an answer.
  private static boolean isNotSent(@Nullable Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof SipException refused
        && refused.reason() == SipException.Reason.OVERLOAD;
  }

  /// Makes a NOTIFY due again that was not sent, unless a later one was.
  private synchronized void sendAgain(Subscription unsent) {
    Subscription now = dialogs.get(unsent.key());
    if (now != null && now.cseq() == unsent.cseq()) {
      put(now.due());
    }
  }

  /// Returns the reason (RFC 6665 section 4.2.2) if a subscription has ended, else "".
  private String end(Subscription s, Instant now) {
    if (!now.isBefore(s.expires())) {
      return "timeout";
    }
    if (!subscribers.isActive(s.user()) || !subscribers.hasDevice(s.user(), s.deviceKey())) {
      // The account is suspended or closed, or the device was removed: a retry would fail too.
      return "rejected";
    }
    return locations.isRegistered(s.user(), now) ? "" : "deactivated";
  }

  /// Removes a subscription whose NOTIFY failed (RFC 6665 section 4.2.2). It stays if the
  /// subscriber has subscribed again since, or if a later NOTIFY was sent: a subscriber rightly
  /// refuses a NOTIFY that a later one has overtaken. So does the subscription of another bridge's
  /// flow: a NAT may let in only what that bridge sends.
  private synchronized void forget(Subscription failed) {
    Subscription now = dialogs.get(failed.key());
    if (now != null
        && now.path().flow().owner().isEmpty()
        && now.remoteCseq() == failed.remoteCseq()
        && now.cseq() == failed.cseq()) {
      remove(failed.key());
    }
  }

  private SipRequest grant(Subscription s, Instant now) {
    TokenIssuer.IssuedToken token =
        tokens.issue(
            new TokenIssuer.Holder(
                s.user(), "sip:" + s.user() + "@" + settings.domain, s.deviceKey(), s.icid()));
    String body =
        SessionDocument.notify(
            s.sid(),
            s.relays(),
            settings.first,
            s.deviceKey(),
            addresses,
            token,
            tokens.publicKeys(),
            now.toEpochMilli(),
            settings.reportInterval.toSeconds(),
            s.icid(),
            s.credit());
    long left = Math.max(1, Duration.between(now, s.expires()).toSeconds());
    return notify(s, "active;expires=" + left).withBody(JSON, SipBody.of(body));
  }

  private SipRequest terminated(Subscription s, String reason) {
    return notify(s, "terminated;reason=" + reason);
  }

  private SipRequest notify(Subscription s, String state) {
    SipHeaders headers =
        SipHeaders.NONE
            .with("Max-Forwards", "70")
            .with("From", s.local())
            .with("To", s.remote())
            .with("Call-ID", s.key().callId())
            .with("CSeq", s.cseq() + " NOTIFY")
            .with("Event", s.event().text())
            .with("Subscription-State", state);
    return new SipRequest("NOTIFY", s.target(), s.path().routed(headers));
  }

  private void refuse(IncomingRequest request, Refusal reason) {
    meters.count(reason);
    request.answer(reason.response(request.message(), settings.domain));
  }
}
