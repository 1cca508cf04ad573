package io.viaduct.bridge;

import io.grpc.ManagedChannel;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.bridge.directory.RelayAddresses;
import io.viaduct.bridge.directory.SnaptClaims;
import io.viaduct.bridge.directory.SnaptDirectory;
import io.viaduct.bridge.directory.SnaptEntry;
import io.viaduct.bridge.provisioning.BillingDevices;
import io.viaduct.bridge.provisioning.SubscriberFeed;
import io.viaduct.bridge.registrar.Authentication;
import io.viaduct.bridge.registrar.LocationService;
import io.viaduct.bridge.registrar.MessageProxy;
import io.viaduct.bridge.registrar.Registrar;
import io.viaduct.bridge.registrar.SipMeters;
import io.viaduct.bridge.registrar.SipService;
import io.viaduct.bridge.registrar.Subscribers;
import io.viaduct.bridge.reporting.BillingReachability;
import io.viaduct.bridge.reporting.MediationForwarder;
import io.viaduct.bridge.reporting.ReportMeters;
import io.viaduct.bridge.reporting.ReportVerifier;
import io.viaduct.bridge.token.DeviceLimit;
import io.viaduct.bridge.token.SessionNotifier;
import io.viaduct.bridge.token.TokenIssuer;
import io.viaduct.service.operations.Listening;
import io.viaduct.service.operations.MetricLabel;
import io.viaduct.service.operations.Readiness;
import io.viaduct.service.tls.CertificateMeters;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.ExchangeableTls;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.sip.endpoint.SipEndpoint;
import io.viaduct.sip.endpoint.SipEndpointSettings;
import io.viaduct.sip.digest.DigestServer;
import io.viaduct.sip.guard.GuardLimits;
import io.viaduct.sip.transport.SocketSettings;
import io.viaduct.usage.TokenKeys;
import io.viaduct.usage.v1.MediationGrpc;
import io.viaduct.usage.v1.ProvisioningGrpc;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Composes the bridge of its parts, starts them in order, and stops them in reverse order. The
/// paths through the parts:
///
/// - Request of a user: SIP endpoint → SipService → Registrar | MessageProxy | SessionNotifier.
/// - Change of a user: billing → SubscriberFeed → Subscribers → Authentication, SessionNotifier.
/// - Usage report: SnaptsServer → ReportStream → ReportVerifier → MediationForwarder → billing.
public final class Bridge implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Bridge.class);
  private static final int NONCES = 50_000;
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);

  /// A TCP connection of a user agent is closed after this time without a byte; keep-alives count.
  private static final Duration TCP_IDLE = Duration.ofMinutes(5);

  /// A message must be complete this long after its first byte: the lifetime of a transaction (RFC
  /// 3261 section 17: 64*T1).
  private static final Duration TCP_MESSAGE = Duration.ofSeconds(32);

  /// Longest wait for one contact of a recipient. Over UDP it has got six transmissions by then.
  /// After the contacts of the highest `q` there is time for the others before the sender's timeout
  /// (32 s).
  private static final Duration CONTACT_PATIENCE = Duration.ofSeconds(12);

  private static final long TICK_MS = 250;

  private final BridgeConfiguration configuration;
  private final InstantSource clock;
  private final Readiness readiness;
  private final BillingReachability reachability;
  private final MeterRegistry registry;
  private final ExchangeableTls tls;
  private final TokenIssuer tokens;
  private final LocationService locations;
  private final SnaptDirectory directory;
  private final SnaptClaims claims;
  private final Subscribers subscribers;
  private final SessionNotifier notifier;
  private final ReportMeters reportMeters;
  private final MediationForwarder forwarder;
  private final SipEndpoint sip;
  private final SnaptsServer snapts;
  private final Deque<AutoCloseable> started = new ArrayDeque<>(); // closed in reverse order

  private Bridge(
      BridgeConfiguration configuration,
      InstantSource clock,
      MeterRegistry registry,
      Readiness readiness)
      throws IOException {
    this.configuration = configuration;
    this.registry = registry;
    this.clock = clock;
    this.readiness = readiness;
    this.reachability =
        new BillingReachability(
            configuration.billing().host() + ":" + configuration.billing().port(), clock);
    reachability.show(readiness);
    this.tls = new ExchangeableTls(TlsMaterial.load(configuration.tls()));
    this.tokens =
        new TokenIssuer(
            Ed25519.readPair(configuration.token().signingKey()),
            configuration.token().accepted(),
            configuration.token().lifetime(),
            configuration.token().audience(),
            clock);
    this.directory =
        new SnaptDirectory(configuration.snapts(), configuration.directory().staleAfter(), clock);
    this.claims = new SnaptClaims(directory, clock);
    this.locations =
        new LocationService(configuration.sip().contacts(), configuration.sip().bindings());
    SipMeters sipMeters = new SipMeters(registry);
    this.subscribers = new Subscribers();
    ManagedChannel billing = BillingChannel.open(configuration.billing(), tls);
    started.push(billing::shutdownNow);
    Authentication authentication = authentication(subscribers, sipMeters);
    this.notifier =
        notifier(
            authentication,
            tokens,
            new BillingDevices(ProvisioningGrpc.newBlockingStub(billing), subscribers, registry),
            sipMeters);
    SipService service =
        new SipService(
            configuration.domain(),
            subscribers,
            new Registrar(
                new Registrar.Limits(
                    configuration.sip().expiresMin(),
                    configuration.sip().expiresMax(),
                    configuration.sip().expiresDefault()),
                authentication,
                locations,
                sipMeters,
                clock),
            new MessageProxy(
                authentication, subscribers, locations, sipMeters, CONTACT_PATIENCE, clock),
            notifier,
            sipMeters);
    try {
      this.reportMeters =
          new ReportMeters(
              registry,
              configuration.snapts().stream().map(BridgeConfiguration.Snapt::id).toList());
      started.push(
          SubscriberFeed.start(
              billing, subscribers, configuration.state(), configuration.domain(), registry));
      this.forwarder =
          new MediationForwarder(
              configuration.billing(),
              MediationGrpc.newBlockingStub(billing),
              reportMeters,
              reachability,
              tokens::publicKeys,
              clock);
      started.push(forwarder);
      this.snapts =
          SnaptsServer.start(
              configuration.grpc(),
              tls,
              directory,
              new SnaptsService(
                  directory,
                  claims,
                  tokens,
                  new ReportVerifier(
                      configuration.reporting().bytes(),
                      () -> TokenKeys.of(tokens.publicKeys()),
                      configuration.token().audience()),
                  forwarder,
                  reportMeters,
                  configuration.reporting().unacknowledged(),
                  registry),
              Counter.builder("viaduct.bridge.grpc.strangers")
                  .description("Callers whose certificate is missing, not trusted or of no SNAPT")
                  .register(registry),
              Counter.builder("viaduct.bridge.grpc.handshakes.failed")
                  .description("Connections that ended before TLS 1.3 stood")
                  .register(registry),
              clock);
      started.push(snapts);
      this.sip =
          Listening.on(
              "sip.host",
              "sip.port",
              "UDP and TCP",
              configuration.sip().host(),
              configuration.sip().port(),
              () -> SipEndpoint.start(sipSettings(), clock, service));
      started.push(sip);
      service.attach(sip);
      notifier.attach(sip);
      started.push(clockwork());
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
    gauges(registry);
    LOG.info(
        "SIP for users of {} on port {}, SNAPTs on port {}",
        configuration.domain(),
        sip.port(),
        snapts.port());
  }

  /// Starts the bridge; returns when all sockets listen.
  ///
  /// @param readiness shows whether billing answers
  /// @throws IOException if a socket cannot be opened
  public static Bridge start(
      BridgeConfiguration configuration,
      InstantSource clock,
      MeterRegistry registry,
      Readiness readiness)
      throws IOException {
    return new Bridge(configuration, clock, registry, readiness);
  }

  private Authentication authentication(Subscribers subscribers, SipMeters meters) {
    return new Authentication(
        configuration.domain(),
        new DigestServer(
            configuration.domain(),
            configuration.sip().offer(),
            configuration.sip().nonceLifetime(),
            NONCES,
            subscribers,
            clock),
        subscribers,
        configuration.sip().wrongPasswords(),
        configuration.sip().wrongPasswordsPerSource(),
        meters,
        clock);
  }

  private SessionNotifier notifier(
      Authentication authentication, TokenIssuer tokens, DeviceLimit devices, SipMeters meters) {
    BridgeConfiguration.Sip s = configuration.sip();
    return new SessionNotifier(
        configuration.domain(),
        new SessionNotifier.Limits(
            s.bindings(),
            s.expiresMin(),
            s.expiresMax(),
            s.expiresDefault(),
            configuration.reporting().interval()),
        authentication,
        locations,
        subscribers,
        devices,
        directory,
        new RelayAddresses(InetAddress::getAllByName, clock),
        tokens,
        meters,
        clock);
  }

  private SipEndpointSettings sipSettings() {
    BridgeConfiguration.Sip s = configuration.sip();
    return new SipEndpointSettings(
        new SocketSettings(
            new InetSocketAddress(s.host(), s.port()),
            0,
            s.connections(),
            s.connectionsPerSource(),
            s.firstMessage(),
            TCP_IDLE,
            TCP_MESSAGE,
            CONNECT_TIMEOUT),
        s.sentBy(),
        GuardLimits.STANDARD,
        s.transactionsMax(),
        s.answersPerSecond(),
        s.answersPerSource(),
        s.remembered(),
        s.pending());
  }

  private AutoCloseable clockwork() {
    ScheduledExecutorService executor =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("bridge-clock").factory());
    var unused =
        executor.scheduleWithFixedDelay(this::onClock, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
    return executor::shutdownNow;
  }

  private void onClock() {
    try {
      locations.expire(clock.instant());
      locations.endUnless(subscribers::isActive);
      notifier.onClock();
      claims.onClock();
      forwarder.onClock();
      reachability.show(readiness);
    } catch (RuntimeException e) {
      // An exception would end the schedule without a message, and so all token renewals.
      LOG.error("the bridge's periodic work failed; it runs again in 250 ms", e);
    }
  }

  private void gauges(MeterRegistry registry) {
    sip.statistics().bindTo(registry);
    CertificateMeters.bind(registry, tls);
    gauge(
        registry, "viaduct.bridge.sip.connections", "TCP connections of SIP now", sip::connections);
    gauge(
        registry,
        "viaduct.bridge.sip.connections.max",
        "Most TCP connections of SIP: sip.connections",
        configuration.sip()::connections);
    gauge(registry, "viaduct.bridge.registrations", "Bindings now", locations::size);
    gauge(
        registry,
        "viaduct.bridge.registrations.max",
        "Most bindings and most subscriptions: sip.bindings",
        configuration.sip()::bindings);
    gauge(registry, "viaduct.bridge.subscriptions", "Subscriptions now", notifier::size);
    gauge(
        registry,
        "viaduct.bridge.reports.queued",
        "Reports that wait for billing now",
        forwarder::queued);
    gauge(
        registry,
        "viaduct.bridge.reports.queued.max",
        "Most reports that may wait for billing: billing.queue",
        configuration.billing()::queue);
    gauge(
        registry,
        "viaduct.bridge.billing.reachable",
        "1 while billing answers, else 0",
        () -> reachability.state() == BillingReachability.State.ANSWERS ? 1 : 0);
    directory.all().forEach(snapt -> duplicates(snapt.configured().id()));
    for (SnaptEntry.State state : SnaptEntry.State.values()) {
      Gauge.builder("viaduct.bridge.snapts", directory, all -> all.count(state))
          .description("SNAPTs of the configuration by state; unknown: not heard since the start")
          .tag("state", MetricLabel.of(state))
          .register(registry);
    }
  }

  private void duplicates(String snapt) {
    FunctionCounter.builder(
            "viaduct.bridge.snapt.duplicates", claims, c -> c.duplicates(snapt).refused())
        .description("Processes that announced an id that another process holds")
        .tag("snapt", snapt)
        .register(registry);
  }

  /// Replaces the list of configured SNAPTs.
  void snapts(List<BridgeConfiguration.Snapt> configured) {
    configured.forEach(snapt -> {
      if (reportMeters.count(snapt.id())) {
        duplicates(snapt.id());
      }
    });
    directory.configure(configured);
  }

  ExchangeableTls tls() {
    return tls;
  }

  TokenIssuer tokens() {
    return tokens;
  }

  private static void gauge(
      MeterRegistry registry, String name, String description, Supplier<Number> value) {
    Gauge.builder(name, value).description(description).register(registry);
  }

  public SnaptDirectory directory() {
    return directory;
  }

  public ReportMeters reportMeters() {
    return reportMeters;
  }

  public SnaptClaims claims() {
    return claims;
  }

  public Subscribers subscribers() {
    return subscribers;
  }

  public LocationService locations() {
    return locations;
  }

  public int sipPort() {
    return sip.port();
  }

  public int grpcPort() {
    return snapts.port();
  }

  @Override
  public void close() {
    while (!started.isEmpty()) {
      try {
        started.pop().close();
      } catch (Exception e) {
        LOG.warn("a part of the bridge failed to stop", e);
      }
    }
  }
}
