package io.viaduct.sip.useragent;

import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.digest.DigestClient;
import io.viaduct.sip.endpoint.SipEndpoint;
import io.viaduct.sip.useragent.UserAgentState.Phase;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/// One user at the registrar: a [RegistrarFlow], a [SessionSubscriber] on it, a [RegistrarProbe],
/// and the handling of incoming requests. It has no socket and no thread of its own: [UserAgent]
/// gives it both. All state belongs to the owner's thread, which also calls [#tick] some times a
/// second; the other methods may be called from any thread and return at once.
final class RegisteredUser {
  /// A publication lasts as long as what it reports may still be changed, a day.
  private static final String PUBLISHED_SECONDS = "86400";

  private final UserAgentSettings settings;
  private final InstantSource clock;
  private final UserAgentListener listener;
  private final List<String> methods;
  private final Executor owner;
  private final AuthenticatedClient client;
  private final LocalIdentity identity;
  private final RegistrarFlow registrar;
  private final SessionSubscriber subscriber;
  private final RegistrarProbe probe;
  private volatile UserAgentState state = UserAgentState.IDLE;
  private String detail = "";

  /// @param endpoint passes its requests to [#onRequest]
  /// @param owner runs tasks one at a time
  RegisteredUser(
      UserAgentSettings settings,
      InstantSource clock,
      RandomGenerator random,
      RequestSender endpoint,
      Executor owner,
      UserAgentListener listener) {
    this.settings = settings;
    this.clock = clock;
    this.listener = listener;
    this.owner = owner;
    this.methods =
        listener.takesMessages()
            ? List.of("MESSAGE", "NOTIFY", "OPTIONS")
            : List.of("NOTIFY", "OPTIONS");
    this.identity = new LocalIdentity(settings, endpoint, methods);
    this.client =
        new AuthenticatedClient(
            endpoint,
            new DigestClient(settings.user(), settings.password(), settings.algorithms()),
            owner);
    Parts parts = new Parts();
    this.probe =
        new RegistrarProbe(settings.domain(), settings.probes(), identity, endpoint, clock, owner);
    this.registrar =
        new RegistrarFlow(settings, clock, random, endpoint, client, identity, owner, parts);
    this.subscriber =
        new SessionSubscriber(settings, clock, random, client, identity, owner, parts);
  }

  UserAgentState state() {
    return state;
  }

  SipRoundTrip roundTrip() {
    return probe.roundTrip();
  }

  /// Tells whether a tunnel stands. While none does, SIP is probed more often ([ProbePace]).
  void tunnel(boolean isUp) {
    owner.execute(() -> probe.tunnel(isUp, clock.millis()));
  }

  /// Registers and keeps the registration renewed.
  void register() {
    owner.execute(() -> {
      registrar.register();
      tick();
    });
  }

  /// Subscribes to the session event package once registered, and keeps the subscription renewed.
  ///
  /// @param deviceKey Ed25519 public key that tokens are bound to, 32 bytes raw
  void subscribeSession(byte[] deviceKey) {
    byte[] key = deviceKey.clone();
    owner.execute(() -> {
      subscriber.subscribe(key);
      tick();
    });
  }

  /// Registers and subscribes anew at once after a change of the device's address, so that the
  /// bridge learns the new address.
  void networkChanged() {
    owner.execute(() -> {
      registrar.networkChanged();
      subscriber.renew(false);
      tick();
    });
  }

  /// Ends subscription and registration.
  ///
  /// @return completed when the registrar has answered
  CompletableFuture<SipResponse> deregister() {
    return onOwner(() -> {
      subscriber.end(registrar.resolve());
      CompletableFuture<SipResponse> answer = registrar.deregister();
      publish("");
      return answer;
    });
  }

  /// Sends a MESSAGE (RFC 3428) through the registrar.
  ///
  /// @param user local part of the recipient in our domain, or a whole `sip:` URI
  /// @return the final response, or a [SipException]
  CompletableFuture<SipResponse> sendMessage(String user, String contentType, String text) {
    String uri = user.startsWith("sip:") ? user : "sip:" + user + "@" + settings.domain();
    String callId = SipEndpoint.token();
    String tag = SipEndpoint.token();
    long[] cseq = {0};
    return onOwner(() ->
        send(() ->
            identity
                .request("MESSAGE", uri, "<" + uri + ">", tag, callId, ++cseq[0])
                .withBody(contentType, SipBody.of(text))));
  }

  /// Publishes an event state of the user (RFC 3903), each one as a publication of its own.
  ///
  /// @param event event package
  /// @return the final response, or a [SipException]
  CompletableFuture<SipResponse> publish(String event, String contentType, byte[] body) {
    String uri = settings.addressOfRecord().toString();
    String callId = SipEndpoint.token();
    String tag = SipEndpoint.token();
    long[] cseq = {0};
    return onOwner(() ->
        send(() ->
            identity
                .request("PUBLISH", uri, "<" + uri + ">", tag, callId, ++cseq[0])
                .with("Event", event)
                .with("Expires", PUBLISHED_SECONDS)
                .withBody(contentType, SipBody.of(body))));
  }

  /// Sends a request outside dialogs by the route of the registration. Owner only.
  private CompletableFuture<SipResponse> send(Supplier<SipRequest> next) {
    SipFlow to = registrar.resolve();
    return client.send(() -> identity.serviceRoute().over(next.get(), to), to);
  }

  /// Sends what is due. Owner only.
  void tick() {
    long nowMs = clock.millis();
    registrar.tick(nowMs);
    SipFlow to = registrar.flow();
    if (registrar.phase() == Phase.ACTIVE && to != null) {
      subscriber.tick(nowMs, to);
      probe.tick(nowMs, to);
    }
    publish(detail);
  }

  private final class Parts implements RegistrarFlow.Events, SessionSubscriber.Events {
    @Override
    public void registered(boolean isAnew) {
      probe.registered(clock.millis());
      if (isAnew) {
        subscriber.renew(true);
      }
      publish("");
      tick();
    }

    @Override
    public void unregistered() {
      registrar.register();
    }

    @Override
    public void granted(SessionGrant grant) {
      listener.onSessionGrant(grant);
    }

    @Override
    public void onDetail(String words) {
      publish(words);
    }
  }

  /// Serves a request that has come by the endpoint.
  void onRequest(IncomingRequest request) {
    // Only a registrar verifies From; any other source could forge it.
    if (!registrar.isRegistrar(request.flow())) {
      request.answer(403);
      return;
    }
    String method = request.message().method();
    if (method.equals("ACK")) {
      return;
    }
    if (!methods.contains(method)) {
      request.answer(
          SipResponse.to(request.message(), 405).with("Allow", String.join(", ", methods)));
      return;
    }
    switch (method) {
      case "MESSAGE" -> onMessage(request);
      case "NOTIFY" -> owner.execute(() -> subscriber.onNotify(request));
      default -> request.answer(200); // OPTIONS
    }
  }

  private void onMessage(IncomingRequest request) {
    String type = request.message().headers().first("Content-Type").orElse("text/plain");
    String bare = type.split(";", 2)[0].strip();
    if (!bare.equalsIgnoreCase("text/plain") && !bare.equalsIgnoreCase("application/json")) {
      request.answer(
          SipResponse.to(request.message(), 415).with("Accept", "text/plain, application/json"));
      return;
    }
    listener.onMessage(
        new InstantMessage(request.message().from().uri(), bare, request.message().body().text()));
    request.answer(200);
  }

  private CompletableFuture<SipResponse> onOwner(Supplier<CompletableFuture<SipResponse>> task) {
    return CompletableFuture.supplyAsync(task, owner).thenCompose(answer -> answer);
  }

  private void publish(String nextDetail) {
    detail = nextDetail;
    UserAgentState next = new UserAgentState(registrar.phase(), subscriber.phase(), nextDetail);
    if (!next.equals(state)) {
      state = next;
      listener.onState(next);
    }
  }
}
