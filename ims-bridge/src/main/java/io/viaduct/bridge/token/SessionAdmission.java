package io.viaduct.bridge.token;

import io.viaduct.bridge.core.DialogPath;
import io.viaduct.bridge.registrar.CreditState;
import io.viaduct.bridge.registrar.LocationService;
import io.viaduct.bridge.registrar.Refusal;
import io.viaduct.bridge.registrar.SipMeters;
import io.viaduct.bridge.registrar.Subscribers;
import io.viaduct.bridge.subscription.EventHeader;
import io.viaduct.bridge.subscription.ExpiryBounds;
import io.viaduct.bridge.subscription.SubscribeRequest;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import java.time.InstantSource;
import java.util.Optional;

/// Decides whether a SUBSCRIBE may have a session, and refuses it otherwise. Thread-safe.
final class SessionAdmission {
  /// A user who has topped up waits at least for this time.
  private static final String CREDIT_RETRY_SECONDS = "5";

  private final String domain;
  private final ExpiryBounds bounds;
  private final LocationService locations;
  private final Subscribers subscribers;
  private final DeviceLimit devices;
  private final SipMeters meters;
  private final InstantSource clock;

  SessionAdmission(
      SessionNotifier.Settings settings,
      LocationService locations,
      Subscribers subscribers,
      DeviceLimit devices,
      SipMeters meters,
      InstantSource clock) {
    this.domain = settings.domain();
    this.bounds = settings.bounds();
    this.locations = locations;
    this.subscribers = subscribers;
    this.devices = devices;
    this.meters = meters;
    this.clock = clock;
  }

  /// The content of an admitted SUBSCRIBE.
  ///
  /// @param event value of the Event header of NOTIFYs
  /// @param target Contact of the subscriber: the Request-URI of NOTIFYs
  /// @param seconds until the subscription expires; 0 ends it
  record Admitted(
      SubscribeRequest subscribe, String event, String target, byte[] deviceKey, long seconds) {}

  /// Returns the content of a SUBSCRIBE, or answers it with a refusal. Blocks while billing is
  /// asked about a device: each request runs on its own virtual thread.
  Optional<Admitted> admit(SubscribeRequest subscribe) {
    SipRequest message = subscribe.message();
    Optional<String> event =
        EventHeader.parse(message.headers().first("Event").orElse(""), SessionNotifier.EVENT);
    if (event.isEmpty()) {
      return refused(subscribe, Refusal.UNKNOWN_EVENT);
    }
    if (DialogPath.isTooLong(message)) {
      return refused(subscribe, Refusal.TOO_MANY_HOPS);
    }
    if (!subscribe.accepts(SessionGrants.TYPE)) {
      return refused(subscribe, Refusal.NOT_ACCEPTABLE);
    }
    if (!locations.isRegistered(subscribe.user(), clock.instant())) {
      return refused(subscribe, Refusal.SUBSCRIBER_NOT_REGISTERED);
    }
    if (subscribe.isRefusedAsTooBrief(bounds, meters)) {
      return Optional.empty();
    }
    byte[] deviceKey;
    String target;
    try {
      deviceKey = SessionDocument.deviceKey(message.body().text());
      target = subscribe.target();
    } catch (IllegalArgumentException e) {
      return refused(subscribe, Refusal.MALFORMED_DEVICE_KEY);
    }
    long seconds = bounds.granted(subscribe);
    if (seconds != 0 && !mayHaveTokens(subscribe, deviceKey)) {
      return Optional.empty();
    }
    return Optional.of(new Admitted(subscribe, event.get(), target, deviceKey, seconds));
  }

  private Optional<Admitted> refused(SubscribeRequest subscribe, Refusal reason) {
    subscribe.refuse(reason, meters);
    return Optional.empty();
  }

  private boolean mayHaveTokens(SubscribeRequest subscribe, byte[] deviceKey) {
    String user = subscribe.user();
    if (subscribe.isFirst() && subscribers.credit(user) == CreditState.EXHAUSTED) {
      refuseWithoutCredit(subscribe);
      return false;
    }
    switch (devices.bind(user, deviceKey)) {
      case DeviceLimit.Verdict.Bound _ -> {
        return true;
      }
      case DeviceLimit.Verdict.TooMany(int max) ->
          refuse(
              subscribe,
              Refusal.TOO_MANY_DEVICES,
              "Too Many Devices",
              "account %s has its %d devices: remove one on the account's page first"
                  .formatted(user, max));
      case DeviceLimit.Verdict.NotEntitled _ ->
          refuse(
              subscribe,
              Refusal.NOT_ENTITLED,
              "Account Not Entitled",
              "account " + user + " may not open a session: ask your operator");
      case DeviceLimit.Verdict.Unknown _ -> {
        meters.count(Refusal.BILLING_AWAY);
        subscribe
            .request()
            .answer(
                SipResponse.to(subscribe.message(), Refusal.BILLING_AWAY.status())
                    .with("Retry-After", "5")
                    .withWarning(domain, "billing does not answer, and this device is new"));
      }
    }
    return false;
  }

  private void refuseWithoutCredit(SubscribeRequest subscribe) {
    meters.count(Refusal.NO_CREDIT);
    subscribe
        .request()
        .answer(
            SipResponse.to(subscribe.message(), Refusal.NO_CREDIT.status())
                .withReason("Payment Required")
                .with("Retry-After", CREDIT_RETRY_SECONDS)
                .withWarning(
                    domain,
                    "the credit of account %s is used up: top up, and the session opens"
                        .formatted(subscribe.user())));
  }

  private void refuse(SubscribeRequest subscribe, Refusal reason, String phrase, String words) {
    meters.count(reason);
    subscribe
        .request()
        .answer(
            SipResponse.to(subscribe.message(), reason.status())
                .withReason(phrase)
                .withWarning(domain, words));
  }
}
