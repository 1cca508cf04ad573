package io.viaduct.sip.useragent;

import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import io.viaduct.sip.useragent.UserAgentState.Phase;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// The flow to the registrar: registers over it, looks whether it still stands, and registers anew
/// at once when it does not (RFC 5626 sections 4.4 and 4.5).
///
/// A closed TCP connection is seen within a tick. What else may have happened, an unanswering peer
/// or a registrar that was started again and knows nobody, is asked for: a REGISTER without Contact
/// fetches our bindings (RFC 3261 section 10.2.3). An OPTIONS would not do, a registrar without our
/// registration answers it all the same. Confined to the user agent's thread.
final class RegistrarFlow {
  // RFC 5626 section 4.4.1: under UDP 24 to 29 s, under TCP 95 to 120 s.
  private static final int TCP_CHECK_FACTOR = 4;
  private static final double CHECK_SPREAD = 0.2;

  private final UserAgentSettings settings;
  private final InstantSource clock;
  private final RandomGenerator random;
  private final RequestSender endpoint;
  private final AuthenticatedClient client;
  private final Executor owner;
  private final Events events;
  private final Registration registration;
  private final Attempt registering;
  private volatile @Nullable SipFlow flow; // written by the owner, read by all
  private int check;
  private long nextCheckMs;
  private long checkDueMs = Long.MAX_VALUE;
  private boolean bindingsShown;
  private boolean broken;

  RegistrarFlow(
      UserAgentSettings settings,
      InstantSource clock,
      RandomGenerator random,
      RequestSender endpoint,
      AuthenticatedClient client,
      LocalIdentity identity,
      Executor owner,
      Events events) {
    this.settings = settings;
    this.clock = clock;
    this.random = random;
    this.endpoint = endpoint;
    this.client = client;
    this.owner = owner;
    this.events = events;
    this.registration = new Registration(settings, identity);
    this.registering = Attempt.of(settings, random);
  }

  Phase phase() {
    return registering.phase();
  }

  /// The peer of the last REGISTER.
  @Nullable SipFlow flow() {
    return flow;
  }

  /// Registers at once, and stays registered.
  void register() {
    registering.want(clock.millis());
  }

  /// The flow that was is of no use any more.
  void networkChanged() {
    disconnect();
    if (registering.phase() != Phase.IDLE) {
      registering.want(clock.millis());
    }
  }

  /// @return the registrar's answer
  CompletableFuture<SipResponse> deregister() {
    registering.stop();
    SipFlow to = resolve();
    return client.send(() -> registration.deregister(to), to);
  }

  /// Looks the registrar up.
  ///
  /// @throws CompletionException with a [io.viaduct.sip.SipException] if it has no address
  SipFlow resolve() {
    SipFlow found = settings.resolveRegistrar();
    flow = found;
    return found;
  }

  void tick(long nowMs) {
    if (registering.isDue(nowMs)) {
      send(nowMs);
    }
    SipFlow to = flow;
    if (registering.phase() != Phase.ACTIVE || to == null) {
      return;
    }
    if (!endpoint.stands(to)) {
      failed(nowMs, "the connection was closed");
    } else if (nowMs >= checkDueMs) {
      failed(nowMs, "no answer in " + settings.attemptTimeout().toMillis() + " ms");
    } else if (nowMs >= nextCheckMs && checkDueMs == Long.MAX_VALUE) {
      check(nowMs, to);
    }
  }

  private void send(long nowMs) {
    int generation = registering.begin(nowMs);
    SipFlow to;
    try {
      to = resolve();
    } catch (CompletionException e) {
      registering.failed(generation, nowMs, 0);
      events.said("registration: " + AuthenticatedClient.reason(e));
      return;
    }
    var unused =
        client
            .send(() -> registration.register(to), to)
            .whenCompleteAsync(
                (response, failure) -> answered(generation, to, response, failure), owner);
  }

  private void answered(
      int generation, SipFlow to, @Nullable SipResponse response, @Nullable Throwable failure) {
    long nowMs = clock.millis();
    if (!registering.isCurrent(generation)) {
      return;
    }
    if (response == null) {
      registering.failed(generation, nowMs, 0);
      events.said("registration: " + AuthenticatedClient.reason(failure));
    } else if (response.isSuccess()) {
      long seconds = registration.granted(response, to);
      registering.granted(generation, nowMs, Attempt.renewal(nowMs, seconds, random));
      bindingsShown = registration.isShown(response, to);
      armCheck(nowMs, to);
      boolean anew = broken;
      broken = false;
      events.registered(anew);
    } else if (registration.adapts(response)) {
      registering.want(nowMs);
    } else {
      registering.failed(generation, nowMs, Registration.retryAfterMs(response));
      events.said("registration refused: " + response.words());
    }
  }

  private void armCheck(long nowMs, SipFlow to) {
    check++; // an older answer counts no more
    checkDueMs = Long.MAX_VALUE;
    long pauseMs =
        settings.keepAlive().toMillis() * (to.transport() == Transport.TCP ? TCP_CHECK_FACTOR : 1);
    nextCheckMs = nowMs + Math.round(pauseMs * (1 - CHECK_SPREAD * random.nextDouble()));
  }

  private void check(long nowMs, SipFlow to) {
    armCheck(nowMs, to);
    checkDueMs = nowMs + settings.attemptTimeout().toMillis();
    int number = check;
    var unused =
        client
            .send(registration::query, to)
            .whenCompleteAsync(
                (response, failure) -> checked(number, to, response, failure), owner);
  }

  private void checked(
      int number, SipFlow to, @Nullable SipResponse response, @Nullable Throwable failure) {
    if (number != check || registering.phase() != Phase.ACTIVE) {
      return;
    }
    checkDueMs = Long.MAX_VALUE;
    if (response == null) {
      failed(clock.millis(), AuthenticatedClient.reason(failure));
    } else if (response.isSuccess() && bindingsShown && !registration.isShown(response, to)) {
      failed(clock.millis(), "the registrar has forgotten us");
    }
    // Any other answer shows that the flow stands; what it refuses is the renewal's business.
  }

  private void failed(long nowMs, String why) {
    disconnect();
    broken = true;
    registering.broken(nowMs);
    events.said("registration lost: " + why);
  }

  private void disconnect() {
    SipFlow old = flow;
    if (old != null) {
      endpoint.disconnect(old);
    }
  }

  /// What the owner must know.
  interface Events {
    /// @param anew whether whatever the registrar's side kept for us has gone with the flow
    void registered(boolean anew);

    /// Something went wrong.
    void said(String detail);
  }
}
