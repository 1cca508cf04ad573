package io.viaduct.sip.useragent;

import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipEndpoint;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.SipStatistics;
import io.viaduct.sip.digest.DigestClient;
import io.viaduct.sip.useragent.UserAgentState.Phase;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A user agent for one user. Methods may be called from any thread and return at once; all state
/// belongs to one thread of its own, which also looks at the clock ten times a second.
public final class UserAgent implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(UserAgent.class);
  private static final long TICK_MS = 100;

  /// How a registrar that does not know us refuses a SUBSCRIBE.
  private static final Set<Integer> UNREGISTERED = Set.of(403, 481);

  /// A grant must be renewed this long before its token ends, should the bridge not do it.
  private static final long TOKEN_MARGIN_MS = 15_000;

  private final UserAgentSettings settings;
  private final InstantSource clock;
  private final UserAgentListener listener;
  private final RandomGenerator random = RandomGenerator.getDefault();
  private final ScheduledExecutorService owner =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("sip-user-agent").factory());
  private final SipEndpoint endpoint;
  private final AuthenticatedClient client;
  private final LocalIdentity identity;
  private final Registration registration;
  private final Attempt registering;
  private final Attempt subscribing;
  private volatile UserAgentState state = UserAgentState.IDLE;
  private volatile @Nullable SipFlow flow; // written by the owner
  private @Nullable SessionSubscription subscription;
  private long nextKeepAliveMs;
  private String detail = "";

  private UserAgent(UserAgentSettings settings, InstantSource clock, UserAgentListener listener)
      throws IOException {
    this.settings = settings;
    this.clock = clock;
    this.listener = listener;
    this.endpoint = SipEndpoint.start(settings.endpoint(), clock, this::onRequest);
    this.identity = new LocalIdentity(settings, endpoint);
    this.client =
        new AuthenticatedClient(
            endpoint,
            new DigestClient(settings.user(), settings.password(), settings.algorithms()),
            owner);
    this.registration = new Registration(settings, identity);
    this.registering = attempt();
    this.subscribing = attempt();
  }

  /// Opens the sockets; registers only when told to.
  ///
  /// @throws IOException if a socket cannot be opened
  public static UserAgent start(
      UserAgentSettings settings, InstantSource clock, UserAgentListener listener)
      throws IOException {
    UserAgent agent = new UserAgent(settings, clock, listener);
    var unused =
        agent.owner.scheduleWithFixedDelay(agent::onClock, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
    return agent;
  }

  public UserAgentState state() {
    return state;
  }

  public SipStatistics statistics() {
    return endpoint.statistics();
  }

  /// The local port, the same for UDP and TCP.
  public int port() {
    return endpoint.port();
  }

  /// Registers and stays registered.
  public void register() {
    owner.execute(() -> {
      registering.want(clock.millis());
      tick();
    });
  }

  /// Subscribes to the session event package once registered, and stays subscribed.
  ///
  /// @param deviceKey Ed25519 public key, 32 bytes raw, that tokens shall be bound to
  public void subscribeSession(byte[] deviceKey) {
    byte[] key = deviceKey.clone();
    owner.execute(() -> {
      subscription = new SessionSubscription(settings, identity, key);
      subscribing.want(clock.millis());
      tick();
    });
  }

  /// The device's address has changed: registers and subscribes anew at once, so that the bridge
  /// learns where we are now.
  public void networkChanged() {
    owner.execute(() -> {
      SipFlow old = flow;
      if (old != null) {
        endpoint.disconnect(old);
      }
      if (registering.phase() != Phase.IDLE) {
        registering.want(clock.millis());
      }
      if (subscribing.phase() != Phase.IDLE) {
        subscribing.want(clock.millis());
      }
      tick();
    });
  }

  /// Ends subscription and registration.
  ///
  /// @return done when the registrar has answered
  public CompletableFuture<SipResponse> deregister() {
    return onOwner(() -> {
      SipFlow to = resolve();
      SessionSubscription old = subscription;
      if (subscribing.phase() == Phase.ACTIVE && old != null) {
        var unused = client.send(() -> old.subscribe(to, 0), to);
      }
      subscribing.stop();
      registering.stop();
      publish("");
      return client.send(() -> registration.deregister(to), to);
    });
  }

  /// Sends a MESSAGE (RFC 3428) through the registrar.
  ///
  /// @param user local part of the recipient in our domain, or a whole `sip:` URI
  /// @return the final response, or a [SipException]
  public CompletableFuture<SipResponse> sendMessage(String user, String contentType, String text) {
    String uri = user.startsWith("sip:") ? user : "sip:" + user + "@" + settings.domain();
    String callId = SipEndpoint.token();
    String tag = SipEndpoint.token();
    long[] cseq = {0};
    return onOwner(() ->
        client.send(
            () ->
                identity
                    .request("MESSAGE", uri, "<" + uri + ">", tag, callId, ++cseq[0])
                    .withBody(contentType, SipBody.of(text)),
            resolve()));
  }

  private Attempt attempt() {
    return new Attempt(
        new BackOff(settings.backOffMax(), random), settings.attemptTimeout().toMillis());
  }

  private void onClock() {
    try {
      tick();
    } catch (RuntimeException e) {
      // An exception would silently end the schedule, and with it all renewals.
      LOG.error("user agent of {}", settings.addressOfRecord(), e);
    }
  }

  private void tick() {
    long nowMs = clock.millis();
    if (registering.isDue(nowMs)) {
      sendRegister(nowMs);
    }
    if (registering.phase() == Phase.ACTIVE && subscribing.isDue(nowMs)) {
      sendSubscribe(nowMs);
    }
    SipFlow to = flow;
    if (registering.phase() == Phase.ACTIVE && nowMs >= nextKeepAliveMs && to != null) {
      nextKeepAliveMs = nowMs + settings.keepAlive().toMillis();
      keepAlive(to);
    }
    publish(detail);
  }

  private void keepAlive(SipFlow to) {
    try {
      endpoint.keepAlive(to);
    } catch (IOException e) {
      // The TCP connection has gone: only a new registration makes us reachable.
      registering.want(clock.millis());
    }
  }

  private void sendRegister(long nowMs) {
    int generation = registering.begin(nowMs);
    SipFlow to;
    try {
      to = resolve();
    } catch (CompletionException e) {
      registering.failed(generation, nowMs, 0);
      publish(reason(e));
      return;
    }
    var unused =
        client
            .send(() -> registration.register(to), to)
            .whenCompleteAsync(
                (response, failure) -> onRegistered(generation, to, response, failure), owner);
  }

  private void onRegistered(
      int generation, SipFlow to, @Nullable SipResponse response, @Nullable Throwable failure) {
    long nowMs = clock.millis();
    if (!registering.isCurrent(generation)) {
      return;
    }
    if (response == null) {
      registering.failed(generation, nowMs, 0);
      publish("registration: " + reason(failure));
    } else if (response.isSuccess()) {
      long seconds = registration.granted(response, to).orElse(settings.expires().toSeconds());
      registering.granted(generation, renewal(nowMs, seconds));
      nextKeepAliveMs = nowMs + settings.keepAlive().toMillis();
      publish("");
      tick();
    } else if (registration.adapts(response)) {
      registering.want(nowMs);
    } else {
      registering.failed(generation, nowMs, retryAfterMs(response));
      publish("registration refused: " + response.status() + " " + response.reason());
    }
  }

  private void sendSubscribe(long nowMs) {
    SessionSubscription current = subscription;
    SipFlow to = flow;
    if (current == null || to == null) {
      return;
    }
    int generation = subscribing.begin(nowMs);
    var unused =
        client
            .send(() -> current.subscribe(to, settings.expires().toSeconds()), to)
            .whenCompleteAsync(
                (response, failure) -> onSubscribed(generation, current, response, failure), owner);
  }

  private void onSubscribed(
      int generation,
      SessionSubscription current,
      @Nullable SipResponse response,
      @Nullable Throwable failure) {
    long nowMs = clock.millis();
    if (!subscribing.isCurrent(generation) || current != subscription) {
      return;
    }
    if (response != null && response.isSuccess()) {
      current.established(response);
      long seconds =
          Registration.number(response, "Expires").orElse(settings.expires().toSeconds());
      subscribing.granted(generation, renewal(nowMs, seconds));
      publish("");
      return;
    }
    // Whatever became of the dialog, the next one is sound. A bridge that was started again knows
    // neither the dialog nor the registration.
    current.newDialog();
    if (response != null && UNREGISTERED.contains(response.status())) {
      registering.want(nowMs);
    }
    subscribing.failed(generation, nowMs, response == null ? 0 : retryAfterMs(response));
    publish(
        "subscription: "
            + (response == null ? reason(failure) : response.status() + " " + response.reason()));
  }

  private void onRequest(IncomingRequest request) {
    SipFlow to = flow;
    // Only the registrar speaks for others; anything else could forge From.
    if (to == null || !request.flow().equals(to)) {
      request.answer(403);
      return;
    }
    switch (request.message().method()) {
      case "MESSAGE" -> onMessage(request);
      case "NOTIFY" -> owner.execute(() -> onNotify(request));
      case "OPTIONS" -> request.answer(200);
      case "ACK" -> {}
      default ->
          request.answer(
              SipResponse.to(request.message(), 405).with("Allow", "MESSAGE, NOTIFY, OPTIONS"));
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

  private void onNotify(IncomingRequest request) {
    SessionSubscription current = subscription;
    if (current == null || !current.owns(request.message())) {
      request.answer(481);
      return;
    }
    if (!current.isInOrder(request.message())) {
      request.answer(500);
      return;
    }
    String substate = request.message().headers().first("Subscription-State").orElse("");
    if (substate.startsWith("terminated")) {
      request.answer(200);
      current.newDialog();
      subscribing.lost(clock.millis());
      publish("subscription ended: " + substate);
      return;
    }
    SessionGrant grant;
    try {
      grant = SessionGrant.parse(request.message().body().text());
    } catch (IllegalArgumentException e) {
      request.answer(400);
      publish("subscription: " + e.getMessage());
      return;
    }
    request.answer(200);
    subscribing.renewBy(grant.expires().toEpochMilli() - TOKEN_MARGIN_MS);
    listener.onSessionGrant(grant);
  }

  /// Between 70 and 90 % of what was granted.
  private long renewal(long nowMs, long seconds) {
    return nowMs + (long) (seconds * 1000 * (0.7 + 0.2 * random.nextDouble()));
  }

  private static long retryAfterMs(SipResponse response) {
    return 1000 * Math.min(600, Registration.number(response, "Retry-After").orElse(0));
  }

  private SipFlow resolve() {
    SipFlow found = settings.resolveRegistrar();
    flow = found;
    return found;
  }

  private CompletableFuture<SipResponse> onOwner(Supplier<CompletableFuture<SipResponse>> task) {
    return CompletableFuture.supplyAsync(task, owner).thenCompose(answer -> answer);
  }

  private static String reason(@Nullable Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException e && e.getCause() != null ? e.getCause() : failure;
    return cause == null ? "no answer" : String.valueOf(cause.getMessage());
  }

  private void publish(String nextDetail) {
    detail = nextDetail;
    UserAgentState next = new UserAgentState(registering.phase(), subscribing.phase(), nextDetail);
    if (!next.equals(state)) {
      state = next;
      listener.onState(next);
    }
  }

  /// Closes the sockets without a word to the registrar; call [#deregister] before for that.
  @Override
  public void close() {
    owner.shutdownNow();
    endpoint.close();
  }
}
