package io.viaduct.bridge.sip;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.bridge.cluster.Cluster;
import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.bridge.configuration.ReportingSettings;
import io.viaduct.bridge.configuration.SipSettings;
import io.viaduct.bridge.core.TrustDomain;
import io.viaduct.bridge.events.EventNotifier;
import io.viaduct.bridge.registrar.CreditMessages;
import io.viaduct.bridge.registrar.SipService;
import io.viaduct.bridge.token.SessionNotifier;
import io.viaduct.service.operations.Listening;
import io.viaduct.sip.HostPort;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.Transport;
import io.viaduct.sip.endpoint.SipEndpoint;
import io.viaduct.sip.endpoint.SipEndpointSettings;
import io.viaduct.sip.guard.GuardLimits;
import io.viaduct.sip.transport.SocketSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Lazy;
import org.springframework.stereotype.Component;

/// The SIP listener for users: it passes requests to [SipService], and sends for it, for
/// [SessionNotifier], [EventNotifier] and [CreditMessages]. It closes before the server for SNAPTs.
@Component
@Lazy(false)
public final class SipEntrance implements SmartLifecycle {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);

  /// A connection of a user agent is closed after this time without a byte, unless a registration
  /// uses it; keep-alives count. Many phones send none, and nobody can call back to a phone whose
  /// connection is closed.
  private static final Duration TCP_IDLE = Duration.ofMinutes(5);

  /// A message must be complete this long after its first byte: the lifetime of a transaction (RFC
  /// 3261 section 17: 64*T1).
  private static final Duration TCP_MESSAGE = Duration.ofSeconds(32);

  private static final int PHASE = 2;

  /// Stands for any user agent: a bridge among several has one address for all of them.
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);

  private final SipSettings configuration;
  private final GuardLimits limits;
  private final TrustDomain trust;
  private final SipService service;
  private final SessionNotifier notifier;
  private final EventNotifier events;
  private final CreditMessages credit;
  private final Cluster cluster;
  private final SipListeners listeners;
  private final MeterRegistry registry;
  private final InstantSource clock;
  private volatile @Nullable SipEndpoint endpoint;

  SipEntrance(
      BridgeConfiguration configuration,
      TrustDomain trust,
      SipService service,
      SessionNotifier notifier,
      EventNotifier events,
      CreditMessages credit,
      Cluster cluster,
      SipListeners listeners,
      MeterRegistry registry,
      InstantSource clock) {
    this.configuration = configuration.sip();
    this.limits = limits(configuration.reporting());
    this.trust = trust;
    this.service = service;
    this.notifier = notifier;
    this.events = events;
    this.credit = credit;
    this.cluster = cluster;
    this.listeners = listeners;
    this.registry = registry;
    this.clock = clock;
  }

  private static GuardLimits limits(ReportingSettings reports) {
    GuardLimits standard = GuardLimits.STANDARD;
    return reports.sip()
        ? standard.withBody(Math.max(standard.bodyBytes(), reports.bytes()))
        : standard;
  }

  @Override
  public void start() {
    SipEndpoint opened;
    try {
      opened =
          Listening.on(
              "sip.host",
              "sip.port",
              "UDP and TCP",
              configuration.host(),
              configuration.port(),
              () -> SipEndpoint.start(settings(), clock, service));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    RequestSender sender = cluster.attach(opened, addresses(opened));
    trust.attach(opened);
    service.attach(sender);
    notifier.attach(sender);
    events.attach(sender);
    credit.attach(sender);
    endpoint = opened;
    opened.statistics().bindTo(registry);
    Gauge.builder("viaduct_bridge_sip_connections", opened::connections)
        .description("Connections of SIP over TCP, TLS and WebSocket now")
        .register(registry);
    Gauge.builder("viaduct_bridge_sip_connections_max", configuration::connections)
        .description("Most connections of SIP: sip.connections")
        .register(registry);
  }

  /// Returns where user agents reach the flows of this bridge.
  private static Map<Transport, HostPort> addresses(SipEndpoint opened) {
    Map<Transport, HostPort> addresses = new EnumMap<>(Transport.class);
    for (Transport each : opened.transports()) {
      addresses.put(each, opened.sentBy(new SipFlow(each, ANY)));
    }
    return addresses;
  }

  private SipEndpointSettings settings() {
    SipSettings s = configuration;
    return new SipEndpointSettings(
        new SocketSettings(
            new InetSocketAddress(s.host(), s.port()),
            0,
            s.connections(),
            s.connectionsPerSource(),
            s.firstMessage(),
            TCP_IDLE,
            TCP_MESSAGE,
            CONNECT_TIMEOUT,
            listeners.listeners()),
        s.sentBy(),
        limits,
        s.transactionsMax(),
        s.answersPerSecond(),
        s.answersPerSource(),
        s.remembered(),
        s.pending());
  }

  /// Returns the port that the listener has.
  ///
  /// @throws IllegalStateException if the listener is closed
  public int port() {
    SipEndpoint opened = endpoint;
    if (opened == null) {
      throw new IllegalStateException("the SIP listener is closed");
    }
    return opened.port();
  }

  /// Returns the port of a transport.
  ///
  /// @throws IllegalStateException if the listener is closed
  public int port(Transport transport) {
    SipEndpoint opened = endpoint;
    if (opened == null) {
      throw new IllegalStateException("the SIP listener is closed");
    }
    return opened.port(transport);
  }

  @Override
  public void stop() {
    SipEndpoint opened = endpoint;
    endpoint = null;
    if (opened != null) {
      opened.close();
    }
  }

  @Override
  public boolean isRunning() {
    return endpoint != null;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }
}
