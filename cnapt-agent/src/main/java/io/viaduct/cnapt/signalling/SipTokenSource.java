package io.viaduct.cnapt.signalling;

import io.viaduct.cnapt.control.BridgeKeys;
import io.viaduct.cnapt.control.Snapt;
import io.viaduct.cnapt.snapts.SnaptTerms;
import io.viaduct.cnapt.usage.ReportPublisher;
import io.viaduct.service.clock.PeerClock;
import io.viaduct.service.configuration.Secret;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.HandshakeFailure;
import io.viaduct.sip.HostPort;
import io.viaduct.sip.Transport;
import io.viaduct.sip.endpoint.SipEndpointSettings;
import io.viaduct.sip.useragent.SessionGrant;
import io.viaduct.sip.useragent.SipRoundTrip;
import io.viaduct.sip.useragent.UserAgent;
import io.viaduct.sip.useragent.UserAgentListener;
import io.viaduct.sip.useragent.UserAgentSettings;
import io.viaduct.sip.useragent.UserAgentState;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.PublicKey;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Obtains tokens from the bridge: registers by SIP and subscribes to `snapt-session` with the
/// device's key. Its sockets carry the agent's mark, so SIP uses the real links and does not depend
/// on the tunnel.
public final class SipTokenSource implements TokenSource, UserAgentListener {
  private static final Logger LOG = LoggerFactory.getLogger(SipTokenSource.class);
  private static final String USAGE_EVENT = "viaduct-usage";
  private static final String USAGE_TYPE = "application/vnd.viaduct.device-report";
  private static final int LOOK_MS = 500;
  private static final int DEREGISTER_SECONDS_MAX = 2;

  private final SignallingSettings settings;
  private final int mark;
  private final byte[] deviceKey;
  private final InstantSource wall;
  private final InstantSource clock;
  private final PeerClock bridgeClock;
  private final BridgeWatch watch;
  private final ScheduledExecutorService looking =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("bridge-watch").daemon().factory());
  private volatile @Nullable UserAgent agent;
  private volatile @Nullable TicketListener listener;

  /// @param mark SO_MARK of all SIP sockets
  /// @param deviceKey public key to which tokens are bound, 32 raw bytes
  /// @param wall time of day of the device, which may be wrong
  /// @param nanoTime monotonic, ns
  /// @param bridgeClock is told the bridge's time with each grant
  public SipTokenSource(
      SignallingSettings settings,
      int mark,
      byte[] deviceKey,
      InstantSource wall,
      LongSupplier nanoTime,
      PeerClock bridgeClock) {
    this.settings = settings;
    this.mark = mark;
    this.deviceKey = deviceKey.clone();
    this.wall = wall;
    this.clock = new ForwardClock(wall, nanoTime);
    this.bridgeClock = bridgeClock;
    this.watch = new BridgeWatch(settings);
  }

  @Override
  public void prepare() {
    open();
  }

  @Override
  public void start(TicketListener tickets) {
    listener = tickets;
    UserAgent started = open();
    started.register();
    started.subscribeSession(deviceKey);
    looking.scheduleWithFixedDelay(this::look, LOOK_MS, LOOK_MS, TimeUnit.MILLISECONDS);
  }

  private synchronized UserAgent open() {
    UserAgent opened = agent;
    if (opened != null) {
      return opened;
    }
    String password = settings.passwordFile().map(Secret::reveal).orElseThrow();
    UserAgentSettings user =
        UserAgentSettings.of(
                settings.domain(),
                settings.user(),
                password,
                HostPort.parse(settings.bridge() + ":" + settings.port()),
                Transport.valueOf(settings.transport().toUpperCase(Locale.ROOT)),
                SipEndpointSettings.client(new InetSocketAddress(0)).withFwmark(mark))
            .withExpires(settings.registerExpires())
            .withProbes(settings.pace());
    try {
      UserAgent started = UserAgent.start(user, clock, this);
      agent = started;
      return started;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException("no SIP sockets: " + e.getMessage(), e);
    }
  }

  @Override
  public boolean takesMessages() {
    return false; // SIP messages are for the user's other user agents
  }

  @Override
  public void onSessionGrant(SessionGrant grant) {
    SessionTicket ticket;
    try {
      ticket = ticket(grant);
    } catch (IllegalArgumentException e) {
      LOG.warn("the bridge's token is not base64url: {}", e.getMessage());
      return;
    }
    LOG.info("granted by the bridge: {}", grant);
    if (grant.tellsTime()) {
      bridgeClock.told(grant.now().toEpochMilli(), wall.millis());
    }
    TicketListener to = listener;
    if (to != null) {
      to.ticket(ticket);
    }
  }

  /// Returns the ticket of a grant, with those of its SNAPTs whose entries are valid.
  ///
  /// @throws IllegalArgumentException if its token is not base64url
  static SessionTicket ticket(SessionGrant grant) {
    byte[] token = Base64.getUrlDecoder().decode(grant.token());
    List<Snapt> relays =
        grant.relays().stream()
            .sorted(Comparator.comparingInt(SessionGrant.Relay::prio))
            .flatMap(r -> Snapt.listed(r.id(), r.host(), r.controlPort()).stream())
            .toList();
    Map<String, Integer> ranks = new HashMap<>();
    Map<String, SnaptTerms> terms = new HashMap<>();
    Map<String, List<InetAddress>> addresses = new HashMap<>();
    for (SessionGrant.Relay relay : grant.relays()) {
      ranks.put(relay.id(), relay.prio());
      terms.put(relay.id(), SnaptTerms.of(relay.region(), relay.prices()));
      if (!relay.addresses().isEmpty()) {
        addresses.put(relay.host(), relay.addresses());
      }
    }
    return new SessionTicket(
        token,
        grant.expires().toEpochMilli(),
        relays,
        Map.copyOf(ranks),
        Map.copyOf(terms),
        Map.copyOf(addresses),
        keys(grant));
  }

  // A key that is none is left out: directories of that key are refused.
  private static BridgeKeys keys(SessionGrant grant) {
    Map<String, PublicKey> keys = new HashMap<>();
    for (SessionGrant.Key each : grant.keys()) {
      try {
        byte[] raw = Base64.getUrlDecoder().decode(each.key());
        if (raw.length == Ed25519.PUBLIC_KEY_LENGTH) {
          keys.put(each.kid(), Ed25519.publicKey(raw));
        }
      } catch (IllegalArgumentException e) {
        LOG.warn("a key of the bridge is left out: {}", e.getMessage());
      }
    }
    return new BridgeKeys(keys, grant.now().toEpochMilli());
  }

  @Override
  public void onState(UserAgentState state) {
    look(state);
  }

  @Override
  public CompletableFuture<ReportPublisher.Answer> publish(byte[] report) {
    UserAgent started = agent;
    return started == null || !started.state().isRegistered()
        ? CompletableFuture.completedFuture(ReportPublisher.Answer.LATER)
        : started
            .publish(USAGE_EVENT, USAGE_TYPE, report)
            .thenApply(response -> answer(response.status()));
  }

  // A bridge of the version before knows no PUBLISH (405). A refusal with another status than these
  // may pass: the registration, the account or billing.
  private static ReportPublisher.Answer answer(int status) {
    return switch (status) {
      case 200 -> ReportPublisher.Answer.TAKEN;
      case 400, 413, 415 -> ReportPublisher.Answer.REFUSED;
      case 405, 489, 501 -> ReportPublisher.Answer.UNSUPPORTED;
      default -> ReportPublisher.Answer.LATER;
    };
  }

  private void look() {
    UserAgent started = agent;
    if (started != null) {
      look(started.state());
    }
  }

  private void look(UserAgentState state) {
    boolean granted = state.isRegistered() && state.subscription() == UserAgentState.Phase.ACTIVE;
    synchronized (watch) {
      watch
          .look(clock.millis(), granted, state.detail())
          .ifPresent(line -> {
            if (granted) {
              LOG.info("{}", line);
            } else {
              LOG.warn("{}", line);
            }
          });
    }
  }

  @Override
  public void renew() {
    UserAgent started = agent;
    if (started != null) {
      started.subscribeSession(deviceKey);
    }
  }

  @Override
  public void networkChanged() {
    UserAgent started = agent;
    if (started != null) {
      started.networkChanged();
    }
  }

  @Override
  public void tunnel(boolean isUp) {
    UserAgent started = agent;
    if (started != null) {
      started.tunnel(isUp);
    }
  }

  @Override
  public SignallingStatus status() {
    UserAgent started = agent;
    String source = "sip:" + settings.user() + "@" + settings.domain();
    if (started == null) {
      return SignallingStatus.idle(source, "");
    }
    UserAgentState state = started.state();
    return new SignallingStatus(
        source,
        state.registration().name().toLowerCase(Locale.ROOT),
        state.subscription().name().toLowerCase(Locale.ROOT),
        state.detail().isEmpty() ? "" : watch.words(state.detail()),
        probes(started.roundTrip()));
  }

  private SignallingStatus.Probes probes(SipRoundTrip probed) {
    Long measuredMs = probed.measuredMs();
    return new SignallingStatus.Probes(
        settings.bridge(),
        probed.recentMs(),
        probed.usualMs(),
        probed.lossPercent(),
        probed.usualLossPercent(),
        probed.sent(),
        probed.answered(),
        measuredMs == null ? null : Math.max(0, clock.millis() - measuredMs),
        probed.isAlone());
  }

  @Override
  public void close() {
    looking.shutdownNow();
    UserAgent started = agent;
    if (started == null) {
      return;
    }
    try {
      started.deregister().get(DEREGISTER_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      LOG.warn("the agent could not deregister at the bridge: {}", HandshakeFailure.reason(e));
    } catch (TimeoutException _) {
      LOG.warn(
          "the agent could not deregister at the bridge: no answer within {} s",
          DEREGISTER_SECONDS_MAX);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    started.close();
  }
}
