package io.viaduct.bridge;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.bridge.core.TrustDomain;
import io.viaduct.bridge.directory.RelayAddresses;
import io.viaduct.bridge.directory.SnaptDirectory;
import io.viaduct.bridge.registrar.Authentication;
import io.viaduct.bridge.registrar.Binding;
import io.viaduct.bridge.registrar.CoreRegistrar;
import io.viaduct.bridge.registrar.CreditNotice;
import io.viaduct.bridge.registrar.CreditState;
import io.viaduct.bridge.registrar.Gruus;
import io.viaduct.bridge.registrar.LocationService;
import io.viaduct.bridge.registrar.MessageProxy;
import io.viaduct.bridge.registrar.Registrar;
import io.viaduct.bridge.registrar.Routing;
import io.viaduct.bridge.registrar.ServiceDesk;
import io.viaduct.bridge.registrar.SipMeters;
import io.viaduct.bridge.registrar.SipService;
import io.viaduct.bridge.registrar.Subscriber;
import io.viaduct.bridge.registrar.Subscribers;
import io.viaduct.bridge.replication.Duty;
import io.viaduct.bridge.replication.Replicas;
import io.viaduct.bridge.token.DeviceLimit;
import io.viaduct.bridge.token.SessionNotifier;
import io.viaduct.bridge.token.TokenIssuer;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.sip.HostPort;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.InviteBranch;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipException;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipMessage;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.SipUri;
import io.viaduct.sip.Transport;
import io.viaduct.sip.digest.AlgorithmOffer;
import io.viaduct.sip.digest.DigestAlgorithm;
import io.viaduct.sip.digest.DigestClient;
import io.viaduct.sip.digest.DigestServer;
import io.viaduct.sip.endpoint.Arrival;
import io.viaduct.sip.jain.ParserProbe;
import io.viaduct.sip.stun.StunMessage;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.KeyPair;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/// The bridge's SIP parts without sockets, for fuzz targets. It has two users, alice and bob, a
/// clock that the target sets, and a network that records the sent messages. It checks the rules
/// for all messages on every message that the bridge sends.
public final class SipSide implements RequestSender {
  public static final Duration LEAST = Duration.ofSeconds(60);
  public static final Duration MOST = Duration.ofHours(1);
  public static final Duration USUAL = Duration.ofMinutes(10);
  public static final int CONTACTS_MAX = 2;
  public static final int BINDINGS_MAX = 3;
  public static final int SUBSCRIPTIONS_MAX = 2;

  /// Stands for the part that serves calls, in parts of the bridge that have none.
  public static final SipService.Calls NO_CALLS =
      new SipService.Calls() {
        @Override
        public void onInvite(IncomingRequest request, RequestSender endpoint) {
          request.answer(405);
        }

        @Override
        public boolean onRequestInside(IncomingRequest request, RequestSender endpoint) {
          return false;
        }

        @Override
        public void onClock() {}
      };

  private static final String DOMAIN = "ims.test";
  private static final String VIA = "SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bKbridge;rport";
  private static final AlgorithmOffer OFFER =
      new AlgorithmOffer(List.of(DigestAlgorithm.SHA_256), List.of());
  private static final MeterRegistry REGISTRY = new SimpleMeterRegistry();
  private static final SipMeters METERS = new SipMeters(REGISTRY);
  private static final TrustDomain TRUST = trust();
  private static final KeyPair KEY = Ed25519.generate();
  private static final Subscribers SUBSCRIBERS = subscribers("alice", "bob");
  private static final Map<String, SipFlow> FLOWS =
      Map.of("alice", flow("192.0.2.7"), "bob", flow("192.0.2.8"));

  /// A request that the bridge sent.
  public record Sent(SipRequest request, SipFlow target) {}

  private final Map<String, DigestClient> clients =
      Map.of("alice", client("alice"), "bob", client("bob"));
  private final LocationService locations = new LocationService(CONTACTS_MAX, BINDINGS_MAX);
  private final Deque<SipResponse> answers = new ArrayDeque<>();
  private final List<Sent> sent = new ArrayList<>();
  private final SessionNotifier notifier;
  private final SipService service;
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private String breach = "";
  private boolean isBusy;

  /// Makes the parts of a bridge that can send.
  public SipSide() {
    this(true);
  }

  /// @param isOpen false: the bridge is starting, and cannot send yet
  public SipSide(boolean isOpen) {
    DigestServer digest =
        new DigestServer(DOMAIN, OFFER, Duration.ofDays(1), 100, SUBSCRIBERS, () -> now);
    Authentication authentication =
        new Authentication(DOMAIN, TRUST, digest, SUBSCRIBERS, 10, 60, METERS, () -> now);
    notifier =
        new SessionNotifier(
            new SessionNotifier.Settings(
                DOMAIN, SUBSCRIPTIONS_MAX, LEAST, MOST, USUAL, Duration.ofSeconds(5), List.of()),
            authentication,
            TRUST,
            locations,
            SUBSCRIBERS,
            anyDevice(SUBSCRIBERS),
            new SnaptDirectory(List.of(), Duration.ofSeconds(30), () -> now),
            new RelayAddresses(InetAddress::getAllByName, () -> now),
            new TokenIssuer(KEY, List.of(), Duration.ofMinutes(5), "snapts", () -> now),
            Replicas.NONE,
            Duty.ALONE,
            METERS,
            () -> now);
    Registrar.Limits limits = new Registrar.Limits(LEAST, MOST, USUAL);
    service =
        new SipService(
            DOMAIN,
            SUBSCRIBERS,
            TRUST,
            new Registrar(
                limits,
                authentication,
                locations,
                () -> {},
                new Gruus(DOMAIN, new byte[Gruus.KEY_BYTES]),
                METERS,
                () -> now),
            new CoreRegistrar(DOMAIN, TRUST, limits, authentication, locations, METERS, () -> now),
            new MessageProxy(
                DOMAIN,
                authentication,
                new Routing(
                    authentication,
                    SUBSCRIBERS,
                    locations,
                    new Gruus(DOMAIN, new byte[Gruus.KEY_BYTES]),
                    new byte[Routing.KEY_BYTES],
                    () -> now),
                METERS,
                Duration.ofDays(1)),
            NO_CALLS,
            new ServiceDesk(
                DOMAIN,
                authentication,
                SUBSCRIBERS,
                locations,
                (_, _) -> CompletableFuture.failedFuture(new IllegalStateException("no billing")),
                new ServiceDesk.Reports() {
                  @Override
                  public String type() {
                    return "application/vnd.viaduct.device-report";
                  }

                  @Override
                  public void onReport(IncomingRequest request) {
                    request.answer(405);
                  }
                },
                METERS,
                Duration.ofDays(1),
                () -> now),
            notifier,
            request -> request.answer(405), // reports of devices need billing
            METERS);
    if (isOpen) {
      service.attach(this);
      notifier.attach(this);
    }
  }

  /// Returns a desk that no message is for.
  public static SipService.Desk noDesk() {
    return new SipService.Desk() {
      @Override
      public boolean isAddressed(SipRequest message) {
        return false;
      }

      @Override
      public void onMessage(IncomingRequest request, RequestSender out) {
        throw new AssertionError("a message for no desk");
      }
    };
  }

  /// Returns a directory of these users, each with the password `<user>-secret`.
  public static Subscribers subscribers(String... users) {
    Subscribers all = new Subscribers();
    all.replaceAll(
        Stream.of(users)
            .map(user ->
                new Subscriber(
                    user,
                    false,
                    Map.of(
                        DigestAlgorithm.SHA_256,
                        DigestAlgorithm.SHA_256.ha1(user, DOMAIN, user + "-secret")),
                    Optional.empty(),
                    Set.of(),
                    Set.of(),
                    CreditState.SUFFICIENT,
                    CreditNotice.NONE))
            .toList());
    return all;
  }

  /// Returns authentication by digest with SHA-256, with usual limits.
  public static Authentication authentication(
      TrustDomain trust, Subscribers subscribers, SipMeters meters, InstantSource clock) {
    DigestServer digest =
        new DigestServer(
            DOMAIN,
            new AlgorithmOffer(List.of(DigestAlgorithm.SHA_256), List.of()),
            Duration.ofMinutes(5),
            100,
            subscribers,
            clock);
    return new Authentication(DOMAIN, trust, digest, subscribers, 10, 60, meters, clock);
  }

  /// Returns a trust domain of the given peers.
  public static TrustDomain trust(SipFlow... peers) {
    return new TrustDomain(
        DOMAIN, List.of(peers), Set.of(), "sip:snapt@" + DOMAIN, new SimpleMeterRegistry());
  }

  /// Stands for a billing that accepts every device.
  public static DeviceLimit anyDevice(Subscribers subscribers) {
    return (account, key) -> {
      subscribers.bound(account, key);
      return new DeviceLimit.Verdict.Bound();
    };
  }

  private static DigestClient client(String user) {
    return new DigestClient(user, user + "-secret", Set.of(DigestAlgorithm.SHA_256));
  }

  private static SipFlow flow(String address) {
    return new SipFlow(Transport.UDP, new InetSocketAddress(address, 5060));
  }

  /// Parses a datagram as the bridge does: a request from its user's address, or a response.
  public static Optional<SipMessage> arrival(byte[] datagram) {
    return Arrival.of(datagram, flow("alice", FLOWS));
  }

  private static SipFlow flow(String user, Map<String, SipFlow> flows) {
    return Objects.requireNonNull(flows.get(user));
  }

  public Instant now() {
    return now;
  }

  public LocationService locations() {
    return locations;
  }

  public List<Binding> bindings() {
    return locations.all(now);
  }

  public int subscriptions() {
    return notifier.size();
  }

  /// Returns the messages sent since the last call.
  public List<Sent> sent() {
    List<Sent> all = List.copyOf(sent);
    sent.clear();
    return all;
  }

  /// Queues the next answer to a request of the bridge. The default answer is 200.
  public void willAnswer(SipResponse response) {
    answers.add(response);
  }

  /// Refuses all requests of the bridge from now on, as an endpoint does while too many wait for an
  /// answer, or takes them again.
  public void busy(boolean now) {
    isBusy = now;
  }

  /// Returns the requests refused for a reason, of all bridges.
  public static double refused(String reason) {
    return REGISTRY.get("viaduct_bridge_sip_refused").tag("reason", reason).counter().count();
  }

  /// Returns the last NOTIFYs that were given up, of all bridges.
  public static double endingsLost(String reason) {
    return REGISTRY.get("viaduct_bridge_endings_lost").tag("reason", reason).counter().count();
  }

  /// Advances the time, and runs the bridge's periodic work.
  public void pass(Duration time) {
    now = now.plus(time);
    locations.expire(now);
    notifier.onClock();
    requireUnbroken();
  }

  /// Returns a REGISTER as a seed of a target.
  ///
  /// @param more header fields, lines without end
  public static String register(String user, int cseq, String more) {
    return """
    REGISTER sip:ims.test SIP/2.0
    v:SIP/2.0/UDP a
    f:sip:a@b
    t:sip:%s@ims.test
    i:a
    CSeq:%d REGISTER
    Max-Forwards:9
    l:0
    %s

    """
        .formatted(user, cseq, more);
  }

  /// Returns the user named in From; alice if From names no user.
  public static String sender(SipRequest request) {
    boolean registers = request.method().equals("REGISTER");
    try {
      SipUri claimed = (registers ? request.to() : request.from()).sipUri();
      return FLOWS.containsKey(claimed.user()) ? claimed.user() : "alice";
    } catch (IllegalArgumentException _) {
      return "alice";
    }
  }

  public static SipFlow flow(SipRequest request) {
    return flow(sender(request), FLOWS);
  }

  /// Sends a request as it is, and returns the answer.
  public SipResponse tell(SipRequest request) {
    List<SipResponse> said = new ArrayList<>();
    service.onRequest(
        new IncomingRequest() {
          @Override
          public SipRequest message() {
            return request;
          }

          @Override
          public SipFlow flow() {
            return SipSide.flow(request);
          }

          @Override
          public boolean begin(Runnable onCancel) {
            return false;
          }

          @Override
          public void answer(SipResponse response) {
            said.add(response.withToTag("bridge"));
          }
        });
    requireUnbroken();
    if (said.size() != 1) {
      throw new AssertionError(request + " is answered by " + said);
    }
    requireAnswerTo(request, said.getFirst());
    return said.getFirst();
  }

  /// Sends a request with its sender's credentials in place of its own, and returns the answer.
  ///
  /// @throws AssertionError if the request is accepted without credentials
  public SipResponse tellWithCredentials(SipRequest request) {
    DigestClient client = Objects.requireNonNull(clients.get(sender(request)));
    SipResponse first = tell(request);
    if (first.isSuccess()) {
      throw new AssertionError("accepted without credentials: " + request);
    }
    SipRequest bare =
        request.withHeaders(
            request.headers().without("Authorization").without("Proxy-Authorization"));
    client.forget();
    client.acceptChallenge(tell(bare));
    return tell(client.authorize(bare));
  }

  /// Checks that an answer repeats the fields that identify its request (RFC 3261 section 8.2.6.2).
  private static void requireAnswerTo(SipRequest request, SipResponse response) {
    Arrival.requireSound(response);
    boolean same =
        List.of("Via", "From", "Call-ID", "CSeq").stream()
            .allMatch(name -> request.headers().all(name).equals(response.headers().all(name)));
    if (!same || response.to().tag().isEmpty()) {
      throw new AssertionError(request + " is answered by " + response);
    }
  }

  @Override
  public CompletableFuture<SipResponse> send(SipRequest request, SipFlow target, String mark) {
    if (isBusy) {
      return CompletableFuture.failedFuture(
          new SipException(SipException.Reason.OVERLOAD, "too many requests wait"));
    }
    SipRequest whole = request.withHeaders(request.headers().withFirst("Via", VIA));
    try {
      Arrival.requireSound(whole);
      ParserProbe.parseToSend(whole);
    } catch (AssertionError e) {
      breach = String.valueOf(e.getMessage()); // kept here, because a future would swallow it
    } catch (ParseException e) {
      return CompletableFuture.failedFuture(
          new SipException(SipException.Reason.INVALID, String.valueOf(e.getMessage())));
    }
    sent.add(new Sent(request, target));
    return CompletableFuture.completedFuture(
        answers.isEmpty() ? SipResponse.to(request, 200).withToTag("peer") : answers.remove());
  }

  private void requireUnbroken() {
    if (!breach.isEmpty()) {
      throw new AssertionError(breach);
    }
  }

  @Override
  public InviteBranch invite(
      SipRequest request, SipFlow target, String mark, InviteBranch.Events events) {
    throw new UnsupportedOperationException("these parts have no calls");
  }

  @Override
  public void sendAck(SipRequest ack, SipFlow target) {
    throw new UnsupportedOperationException("these parts have no calls");
  }

  @Override
  public CompletableFuture<StunMessage.Success> keepAlive(SipFlow target) {
    return CompletableFuture.failedFuture(
        new SipException(SipException.Reason.TIMEOUT, "this peer does not know STUN"));
  }

  @Override
  public HostPort sentBy(SipFlow target) {
    return new HostPort("192.0.2.1", 5060);
  }

  @Override
  public boolean isConnected(SipFlow target) {
    return true;
  }

  @Override
  public void disconnect(SipFlow target) {}
}
