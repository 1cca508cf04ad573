package io.viaduct.bridge.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.bridge.SipSide;
import io.viaduct.bridge.TestClock;
import io.viaduct.bridge.core.TrustDomain;
import io.viaduct.bridge.directory.RelayAddresses;
import io.viaduct.bridge.directory.SnaptDirectory;
import io.viaduct.bridge.registrar.Authentication;
import io.viaduct.bridge.registrar.CoreRegistrar;
import io.viaduct.bridge.registrar.Gruus;
import io.viaduct.bridge.registrar.LocationService;
import io.viaduct.bridge.registrar.MessageProxy;
import io.viaduct.bridge.registrar.Registrar;
import io.viaduct.bridge.registrar.Routing;
import io.viaduct.bridge.registrar.SipMeters;
import io.viaduct.bridge.registrar.SipService;
import io.viaduct.bridge.registrar.Subscribers;
import io.viaduct.bridge.replication.Replicas;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.sip.HostPort;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipException;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import io.viaduct.sip.endpoint.SipEndpoint;
import io.viaduct.sip.endpoint.SipEndpointSettings;
import io.viaduct.sip.useragent.SessionGrant;
import io.viaduct.sip.useragent.UserAgent;
import io.viaduct.sip.useragent.UserAgentListener;
import io.viaduct.sip.useragent.UserAgentSettings;
import io.viaduct.sip.useragent.UserAgentState.Phase;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.interfaces.EdECPublicKey;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Tests events between the acceptance of a SUBSCRIBE and its NOTIFY. The bridge's SIP parts run on
/// a real endpoint. A hook runs at this point, in place of a clock thread that would reach it only
/// by chance.
@Timeout(120)
class SessionNotifierTest {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  @TempDir Path directory;
  private final TestClock clock = new TestClock();
  private final List<SessionGrant> grants = new CopyOnWriteArrayList<>();
  private final List<String> details = new CopyOnWriteArrayList<>();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final Subscribers subscribers = SipSide.subscribers("alice", "bob");
  private final AtomicInteger looks = new AtomicInteger(); // each look asks whose duty it is
  private SessionNotifier notifier;
  private SipEndpoint endpoint;
  private UserAgent alice;
  private Runnable accepted = () -> {};

  @BeforeEach
  void start() throws Exception {
    SipMeters meters = new SipMeters(registry);
    TrustDomain trust = SipSide.trust();
    Authentication authentication = SipSide.authentication(trust, subscribers, meters, clock);
    LocationService locations = new LocationService(2, 10);
    notifier =
        new SessionNotifier(
            new SessionNotifier.Settings(
                "ims.test",
                10,
                Duration.ofSeconds(1),
                Duration.ofHours(1),
                Duration.ofHours(1),
                Duration.ofSeconds(5),
                List.of()),
            authentication,
            trust,
            locations,
            subscribers,
            SipSide.anyDevice(subscribers),
            new SnaptDirectory(List.of(), Duration.ofSeconds(30), clock),
            new RelayAddresses(InetAddress::getAllByName, clock),
            new TokenIssuer(Ed25519.generate(), List.of(), Duration.ofHours(1), "snapts", clock),
            Replicas.NONE,
            (_, _) -> looks.incrementAndGet() > 0,
            meters,
            clock);
    Registrar.Limits limits =
        new Registrar.Limits(Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofSeconds(30));
    SipService service =
        new SipService(
            "ims.test",
            subscribers,
            trust,
            new Registrar(
                limits,
                authentication,
                locations,
                () -> {},
                new Gruus("ims.test", new byte[Gruus.KEY_BYTES]),
                meters,
                clock),
            new CoreRegistrar("ims.test", trust, limits, authentication, locations, meters, clock),
            new MessageProxy(
                "ims.test",
                authentication,
                new Routing(
                    authentication,
                    subscribers,
                    locations,
                    new Gruus("ims.test", new byte[Gruus.KEY_BYTES]),
                    new byte[Routing.KEY_BYTES],
                    clock),
                meters,
                Duration.ofSeconds(1)),
            SipSide.NO_CALLS,
            SipSide.noDesk(),
            request -> notifier.onSubscribe(new Hooked(request)),
            request -> request.answer(405),
            meters);
    endpoint = SipEndpoint.start(SipEndpointSettings.client(ANY), clock, service);
    service.attach(endpoint);
    notifier.attach(endpoint);
    alice =
        UserAgent.start(
            UserAgentSettings.of(
                "ims.test",
                "alice",
                "alice-secret",
                new HostPort("127.0.0.1", endpoint.port()),
                Transport.UDP,
                SipEndpointSettings.client(ANY)),
            clock,
            new UserAgentListener() {
              @Override
              public void onSessionGrant(SessionGrant grant) {
                grants.add(grant);
              }

              @Override
              public void onState(io.viaduct.sip.useragent.UserAgentState state) {
                details.add(state.detail());
              }
            });
  }

  @AfterEach
  void stop() {
    alice.close();
    endpoint.close();
  }

  /// Runs the hook when the request is accepted.
  private final class Hooked implements IncomingRequest {
    private final IncomingRequest request;

    Hooked(IncomingRequest request) {
      this.request = request;
    }

    @Override
    public SipRequest message() {
      return request.message();
    }

    @Override
    public SipFlow flow() {
      return request.flow();
    }

    @Override
    public boolean begin(Runnable onCancel) {
      return request.begin(onCancel);
    }

    @Override
    public void answer(SipResponse response) {
      request.answer(response);
      if (response.isSuccess()) {
        accepted.run();
      }
    }
  }

  private double notified() {
    return registry.get("viaduct_bridge_sip_events").tag("event", "notified").counter().count();
  }

  private void subscribe() {
    alice.register();
    alice.subscribeSession(Ed25519.raw((EdECPublicKey) Ed25519.generate().getPublic()));
  }

  /// Answers each NOTIFY before it waits for the next, so that no third is in flight.
  @Test
  void oneSubscribeBringsOneTokenEvenWhenTheClockLooksBetweenItsAcceptanceAndItsNotify() {
    accepted = notifier::onClock;
    subscribe();
    await().until(() -> notified() == 1);
    alice.networkChanged();
    await().until(() -> notified() >= 2);
    assertThat(grants).hasSize(2);
    assertThat(grants.getFirst().token()).isNotEqualTo(grants.getLast().token());
    assertThat(notified()).isEqualTo(2);
  }

  @Test
  void aRegistrationThatEndsBetweenSubscribeAndNotifyBringsNoToken() {
    accepted = () -> clock.advance(Duration.ofSeconds(31));
    subscribe();
    await().until(() -> details.stream().anyMatch(d -> d.contains("reason=deactivated")));
    assertThat(grants).isEmpty();
  }

  @Test
  void aTickLooksAtNoSubscriptionUnlessSomethingHasHappenedToItsUser() {
    subscribe();
    await().until(() -> notified() == 1);
    notifier.onClock(); // the first one looks at all
    looks.set(0);
    notifier.onClock();
    subscribers.bound("bob", new byte[32]);
    notifier.onClock();
    assertThat(looks).hasValue(0);
    subscribers.bound("alice", new byte[32]);
    notifier.onClock();
    assertThat(looks).hasValue(1);
    notifier.onClock();
    assertThat(looks).hasValue(1);
    assertThat(notified()).isEqualTo(1);
  }

  /// Refuses its first requests, as an endpoint does while too many wait for an answer.
  private final class Overloaded implements InvocationHandler {
    private int refusals;

    Overloaded(int refusals) {
      this.refusals = refusals;
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
      if (method.getName().equals("send") && refusals-- > 0) {
        return CompletableFuture.failedFuture(
            new SipException(SipException.Reason.OVERLOAD, "too many requests wait"));
      }
      return method.isDefault()
          ? InvocationHandler.invokeDefault(proxy, method, arguments)
          : method.invoke(endpoint, arguments);
    }
  }

  @Test
  void aNotifyThatAnOverloadedEndpointDoesNotSendIsSentByTheClock() {
    notifier.attach(
        (RequestSender)
            Proxy.newProxyInstance(
                RequestSender.class.getClassLoader(),
                new Class<?>[] {RequestSender.class},
                new Overloaded(1)));
    subscribe();
    await().until(() -> alice.state().subscription() == Phase.ACTIVE);
    assertThat(grants).isEmpty();
    assertThat(notifier.size()).isOne();
    await()
        .until(() -> {
          notifier.onClock();
          return grants.size() == 1;
        });
  }
}
