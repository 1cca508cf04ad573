package io.viaduct.sip.useragent;

import io.viaduct.sip.RequestSender;
import io.viaduct.sip.ServerAddresses;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import io.viaduct.sip.stun.StunMessage;
import io.viaduct.sip.useragent.UserAgentState.Phase;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// The flow to the registrar. Registers over it, checks that it still works, and registers anew at
/// once when it does not (RFC 5626 sections 4.4 and 4.5).
///
/// A closed TCP connection is detected within a tick. Under UDP a STUN binding request keeps the
/// NAT's binding and detects an unresponsive peer. The first answer follows the registration; a
/// later one with another address of ours (the NAT has lost the binding) or another run of the
/// registrar (it has lost our registration) makes us register anew.
///
/// A name may have the addresses of several registrars, which share their registrations. The flow
/// stays at one of them; if that does not answer or is overloaded, the next one gets the REGISTER
/// (RFC 3263 section 4.3).
///
/// Under TCP, and with a registrar that does not answer STUN, the check is a REGISTER without
/// Contact, which fetches our bindings (RFC 3261 section 10.2.3). An OPTIONS would not do, because
/// a registrar answers it without our registration too. Confined to the user agent's thread.
final class RegistrarFlow {
  // RFC 5626 section 4.4.1: under UDP 24 to 29 s, under TCP 95 to 120 s.
  private static final int TCP_CHECK_FACTOR = 4;
  private static final double CHECK_SPREAD = 0.2;
  private static final int UNAVAILABLE = 503;

  private final UserAgentSettings settings;
  private final InstantSource clock;
  private final RandomGenerator random;
  private final RequestSender endpoint;
  private final AuthenticatedClient client;
  private final Executor owner;
  private final Events events;
  private final Registration registration;
  private final ServiceRoute serviceRoute;
  private final Attempt registering;
  private final ServerAddresses<SipFlow> addresses = new ServerAddresses<>();
  private volatile @Nullable SipFlow flow; // written by the owner, read by all threads
  private @Nullable SipFlow registered; // the last one that has granted a registration
  private int check;
  private long nextCheckMs;
  private long checkDueMs = Long.MAX_VALUE;
  private boolean isBindingShown;
  private boolean isStunAsked; // the open check is by STUN
  private boolean isStunUsed = true; // until a registrar does not answer it
  private @Nullable Bound bound; // by the first STUN answer since the registration
  private boolean isLost;

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
    this.serviceRoute = identity.serviceRoute();
    this.registering = Attempt.of(settings, random);
  }

  /// Content of a STUN answer: our address in front of the NATs, and the run of the registrar.
  private record Bound(InetSocketAddress address, String run) {}

  Phase phase() {
    return registering.phase();
  }

  /// Returns the target of the last REGISTER, or null before the first.
  @Nullable SipFlow flow() {
    return flow;
  }

  /// Registers at once, and keeps the registration renewed.
  void register() {
    registering.want(clock.millis());
  }

  /// Drops the flow, because its network has gone, and registers anew.
  void networkChanged() {
    disconnect();
    isStunUsed = true; // the network before may have dropped it
    if (registering.phase() != Phase.IDLE) {
      registering.want(clock.millis());
    }
  }

  /// Ends the registration.
  ///
  /// @return the registrar's answer
  CompletableFuture<SipResponse> deregister() {
    registering.stop();
    serviceRoute.forget();
    SipFlow to = resolve();
    return client.send(() -> registration.deregister(to), to);
  }

  /// Looks up the registrar's address.
  ///
  /// @throws CompletionException with a [io.viaduct.sip.SipException] if it has no address
  SipFlow resolve() {
    SipFlow found = addresses.choose(settings.resolveRegistrar());
    flow = found;
    return found;
  }

  /// Returns whether a flow leads to one of the registrars. Any thread.
  boolean isRegistrar(SipFlow source) {
    return addresses.has(source);
  }

  void tick(long nowMs) {
    boolean waited = registering.phase() == Phase.TRYING;
    if (registering.isDue(nowMs)) {
      send(nowMs);
    }
    SipFlow to = flow;
    if (waited && registering.phase() == Phase.WAITING && to != null) {
      addresses.leave(to); // it has not answered in time
    }
    if (registering.phase() != Phase.ACTIVE || to == null) {
      return;
    }
    if (!endpoint.isConnected(to)) {
      addresses.leave(to);
      failed(nowMs, "the connection was closed");
    } else if (nowMs >= checkDueMs) {
      unanswered(nowMs, to, "no answer in " + settings.attemptTimeout().toMillis() + " ms");
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
      events.onDetail("registration: " + AuthenticatedClient.reason(e));
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
      addresses.leave(to);
      registering.failed(generation, nowMs, 0);
      events.onDetail("registration: " + AuthenticatedClient.reason(failure));
    } else if (response.isSuccess()) {
      long seconds = registration.granted(response, to);
      registering.granted(generation, nowMs, Attempt.renewal(nowMs, seconds, random));
      isBindingShown = registration.isShown(response, to);
      serviceRoute.granted(response, to);
      bound = null;
      armCheck(nowMs, to);
      if (isStunUsed && to.transport() == Transport.UDP) {
        check(nowMs, to);
      }
      boolean isAnew = isLost || registered != null && !registered.equals(to);
      isLost = false;
      registered = to;
      events.registered(isAnew);
    } else if (registration.adaptTo(response)) {
      registering.want(nowMs);
    } else {
      if (response.status() == UNAVAILABLE) {
        addresses.leave(to);
      }
      registering.failed(generation, nowMs, Registration.retryAfterMs(response));
      events.onDetail("registration refused: " + response.summary());
    }
  }

  private void armCheck(long nowMs, SipFlow to) {
    check++; // the answer to an older check is ignored
    checkDueMs = Long.MAX_VALUE;
    long pauseMs =
        settings.keepAlive().toMillis() * (to.transport() == Transport.TCP ? TCP_CHECK_FACTOR : 1);
    nextCheckMs = nowMs + Math.round(pauseMs * (1 - CHECK_SPREAD * random.nextDouble()));
  }

  private void check(long nowMs, SipFlow to) {
    armCheck(nowMs, to);
    checkDueMs = nowMs + settings.attemptTimeout().toMillis();
    int number = check;
    isStunAsked = isStunUsed && to.transport() == Transport.UDP;
    if (isStunAsked) {
      var unused =
          endpoint
              .keepAlive(to)
              .whenCompleteAsync((answer, failure) -> bound(number, to, answer, failure), owner);
      return;
    }
    var unused =
        client
            .send(registration::query, to)
            .whenCompleteAsync(
                (response, failure) -> checked(number, to, response, failure), owner);
  }

  private void bound(
      int number, SipFlow to, StunMessage.@Nullable Success answer, @Nullable Throwable failure) {
    if (number != check || registering.phase() != Phase.ACTIVE) {
      return;
    }
    long nowMs = clock.millis();
    if (answer == null) {
      unanswered(nowMs, to, AuthenticatedClient.reason(failure));
      return;
    }
    checkDueMs = Long.MAX_VALUE;
    Bound before = bound;
    bound = new Bound(answer.mapped(), answer.run());
    if (before != null && !before.run.equals(answer.run())) {
      failed(nowMs, "the registrar was started again");
    } else if (before != null && !before.address.equals(answer.mapped())) {
      failed(nowMs, "a NAT has changed our address");
    }
  }

  /// Handles a check without an answer. A registrar that has never answered STUN is asked by SIP.
  private void unanswered(long nowMs, SipFlow to, String why) {
    if (isStunAsked && bound == null) {
      isStunUsed = false;
      check(nowMs, to);
    } else {
      addresses.leave(to);
      failed(nowMs, why);
    }
  }

  private void checked(
      int number, SipFlow to, @Nullable SipResponse response, @Nullable Throwable failure) {
    if (number != check || registering.phase() != Phase.ACTIVE) {
      return;
    }
    checkDueMs = Long.MAX_VALUE;
    if (response == null) {
      addresses.leave(to);
      failed(clock.millis(), AuthenticatedClient.reason(failure));
    } else if (response.isSuccess() && isBindingShown && !registration.isShown(response, to)) {
      failed(clock.millis(), "the registrar has forgotten us");
    }
    // Any other answer shows that the flow works; the next renewal handles a refusal.
  }

  private void failed(long nowMs, String why) {
    disconnect();
    serviceRoute.forget();
    isLost = true;
    registering.lostConnection(nowMs);
    events.onDetail("registration lost: " + why);
  }

  private void disconnect() {
    SipFlow old = flow;
    if (old != null) {
      endpoint.disconnect(old);
    }
  }

  /// Receives the changes that the owner must know.
  interface Events {
    /// Called after a successful registration.
    ///
    /// @param isAnew true if the flow was lost before, and the registrar's state for us with it
    void registered(boolean isAnew);

    /// Called when something went wrong.
    void onDetail(String detail);
  }
}
