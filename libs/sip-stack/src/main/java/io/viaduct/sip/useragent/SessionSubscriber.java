package io.viaduct.sip.useragent;

import io.viaduct.service.logging.PeerText;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.useragent.UserAgentState.Phase;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Keeps the subscription to the session event package, and handles its NOTIFYs. Confined to the
/// user agent's thread.
final class SessionSubscriber {
  /// Statuses by which a registrar without our registration refuses a SUBSCRIBE.
  private static final Set<Integer> UNREGISTERED = Set.of(403, 481);

  /// Time before the end of a token at which the subscription is renewed if the bridge has not
  /// renewed the token.
  private static final long TOKEN_MARGIN_MS = 15_000;

  private final UserAgentSettings settings;
  private final InstantSource clock;
  private final RandomGenerator random;
  private final AuthenticatedClient client;
  private final LocalIdentity identity;
  private final Executor owner;
  private final Events events;
  private final Attempt subscribing;
  private final RequestedExpiry expiry;
  private @Nullable SessionSubscription subscription;

  SessionSubscriber(
      UserAgentSettings settings,
      InstantSource clock,
      RandomGenerator random,
      AuthenticatedClient client,
      LocalIdentity identity,
      Executor owner,
      Events events) {
    this.settings = settings;
    this.clock = clock;
    this.random = random;
    this.client = client;
    this.identity = identity;
    this.owner = owner;
    this.events = events;
    this.subscribing = Attempt.of(settings, random);
    this.expiry = new RequestedExpiry(settings.expires());
  }

  Phase phase() {
    return subscribing.phase();
  }

  /// Starts the subscription.
  ///
  /// @param deviceKey the key that tokens are bound to
  void subscribe(byte[] deviceKey) {
    subscription = new SessionSubscription(settings, identity, deviceKey);
    subscribing.want(clock.millis());
  }

  /// Renews the subscription at once if there is one.
  ///
  /// @param isAnew true if the notifier's side of the dialog has gone
  void renew(boolean isAnew) {
    SessionSubscription current = subscription;
    if (current == null || subscribing.phase() == Phase.IDLE) {
      return;
    }
    if (isAnew) {
      current.newDialog();
    }
    subscribing.want(clock.millis());
  }

  /// Ends the subscription without waiting for the answer.
  void end(SipFlow to) {
    SessionSubscription old = subscription;
    if (subscribing.phase() == Phase.ACTIVE && old != null) {
      var unused = client.send(() -> old.subscribe(to, 0), to);
    }
    subscribing.stop();
  }

  /// Sends a SUBSCRIBE if one is due.
  ///
  /// @param to the flow of our registration
  void tick(long nowMs, SipFlow to) {
    SessionSubscription current = subscription;
    if (current == null || !subscribing.isDue(nowMs)) {
      return;
    }
    int generation = subscribing.begin(nowMs);
    var unused =
        client
            .send(() -> current.subscribe(to, expiry.seconds()), to)
            .whenCompleteAsync(
                (response, failure) -> answered(generation, current, response, failure), owner);
  }

  private void answered(
      int generation,
      SessionSubscription current,
      @Nullable SipResponse response,
      @Nullable Throwable failure) {
    long nowMs = clock.millis();
    if (!subscribing.isCurrent(generation) || current != subscription) {
      return;
    }
    if (response == null) {
      failed(generation, current, 0, AuthenticatedClient.reason(failure));
    } else if (response.isSuccess()) {
      accepted(generation, current, response);
    } else if (expiry.adaptTo(response)) {
      subscribing.want(nowMs);
    } else {
      // A refusal with a reason is about the account or the device, not about the registration.
      if (UNREGISTERED.contains(response.status()) && response.warning().isEmpty()) {
        events.unregistered();
      }
      failed(generation, current, Registration.retryAfterMs(response), response.summary());
    }
  }

  private void accepted(int generation, SessionSubscription current, SipResponse response) {
    try {
      current.established(response);
    } catch (IllegalArgumentException e) {
      failed(generation, current, 0, "accepted by nobody that can be reached");
      return;
    }
    long nowMs = clock.millis();
    long seconds = expiry.granted(Registration.number(response, "Expires"));
    subscribing.granted(generation, nowMs, Attempt.renewal(nowMs, seconds, random));
    events.onDetail("");
  }

  /// Starts a new dialog after a failure, because the state of the old one is unknown. A restarted
  /// bridge knows neither the dialog nor the registration.
  private void failed(int generation, SessionSubscription current, long atLeastMs, String why) {
    current.newDialog();
    subscribing.failed(generation, clock.millis(), atLeastMs);
    events.onDetail("subscription: " + why);
  }

  void onNotify(IncomingRequest request) {
    if (!firstWord(request, "Event").equals(SessionSubscription.EVENT)) {
      request.answer(489);
      return;
    }
    SessionSubscription current = subscription;
    if (current == null || !current.owns(request.message())) {
      request.answer(481);
      return;
    }
    if (!current.isInOrder(request.message())) {
      request.answer(500);
      return;
    }
    if (firstWord(request, "Subscription-State").equalsIgnoreCase("terminated")) {
      request.answer(200);
      current.newDialog();
      subscribing.lost(clock.millis());
      String state = request.message().headers().require("Subscription-State");
      events.onDetail("subscription ended: " + PeerText.printable(state));
      return;
    }
    if (subscribing.phase() == Phase.IDLE) {
      request.answer(481); // it crossed our last SUBSCRIBE; nothing would renew its grant
      return;
    }
    SessionGrant grant;
    try {
      grant = SessionGrant.parse(request.message().body().text());
    } catch (IllegalArgumentException e) {
      request.answer(400);
      events.onDetail("subscription: " + e.getMessage());
      return;
    }
    long nowMs = clock.millis();
    subscribing.renewBy(nowMs, nowMs + grant.leftMs(nowMs) - TOKEN_MARGIN_MS);
    events.granted(grant);
    request.answer(200);
  }

  /// Returns the value of a header without its parameters.
  private static String firstWord(IncomingRequest request, String header) {
    return request.message().headers().first(header).orElse("").split(";", 2)[0].strip();
  }

  /// Receives the changes that the owner must know.
  interface Events {
    void granted(SessionGrant grant);

    /// Called when the registrar does not know us.
    void unregistered();

    /// Called when something went wrong, or with an empty text when it is right again.
    void onDetail(String detail);
  }
}
