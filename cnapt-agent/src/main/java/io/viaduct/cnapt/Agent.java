package io.viaduct.cnapt;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.viaduct.cnapt.classification.Application;
import io.viaduct.cnapt.classification.Applications;
import io.viaduct.cnapt.classification.Classifier;
import io.viaduct.cnapt.classification.OwnerLookup;
import io.viaduct.cnapt.control.ControlClient;
import io.viaduct.cnapt.control.ControlFailure;
import io.viaduct.cnapt.control.ControlListener;
import io.viaduct.cnapt.control.DeviceIdentity;
import io.viaduct.cnapt.control.Greeting;
import io.viaduct.cnapt.control.Snapt;
import io.viaduct.cnapt.control.Welcomed;
import io.viaduct.cnapt.egress.EgressRouting;
import io.viaduct.cnapt.egress.EgressStart;
import io.viaduct.cnapt.mobility.CarrierLog;
import io.viaduct.cnapt.mobility.Handover;
import io.viaduct.cnapt.mobility.HandoverLog;
import io.viaduct.cnapt.mobility.NetworkWatch;
import io.viaduct.cnapt.naming.OutsideResolver;
import io.viaduct.cnapt.naming.OutsideResolverProvider;
import io.viaduct.cnapt.operations.AgentMeters;
import io.viaduct.cnapt.operations.AgentStatus;
import io.viaduct.cnapt.receipts.ReceiptLedger;
import io.viaduct.cnapt.signalling.FileTokenSource;
import io.viaduct.cnapt.signalling.SessionTicket;
import io.viaduct.cnapt.signalling.SipTokenSource;
import io.viaduct.cnapt.signalling.TokenSource;
import io.viaduct.cnapt.tunnel.AeadPreference;
import io.viaduct.cnapt.tunnel.DataPath;
import io.viaduct.cnapt.tunnel.DataPathListener;
import io.viaduct.cnapt.tunnel.SessionParameters;
import io.viaduct.host.tun.TunDevice;
import io.viaduct.host.tun.TunSettings;
import io.viaduct.service.operations.OperationsEndpoint;
import io.viaduct.service.operations.ProcessMetrics;
import io.viaduct.service.operations.Readiness;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.control.v1.Welcome;
import io.viaduct.tunnel.history.ZstdBlocks;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.Ciphers;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.session.TunnelLimits;
import io.viaduct.tunnel.session.TunnelTerms;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The parts of one agent and what they tell each other:
///
///     token source ─ticket→ control client ─keys→ data path ←packets→ TUN, UDP
///     data path ─counts→ receipt ledger ─receipts→ control client
///     network watch ─moved→ data path (probe), control client (again), token source (register again)
///
/// Two event loops: `data` owns data path and network watch, `control` owns the control client. Fields
/// shared between threads name their writer.
final class Agent
    implements AutoCloseable, ControlListener, DataPathListener, NetworkWatch.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Agent.class);
  private static final String SESSION = "session";

  private final CnaptConfiguration configuration;
  private final InstantSource clock;
  private final LongSupplier nanoTime;
  private final long startedNs;
  private final Readiness readiness = new Readiness(SESSION);
  private final HandoverLog handovers = new HandoverLog();
  private final CarrierLog carriers;
  private final OwnerLookup owners = new OwnerLookup();
  private final TunnelLimits limits;
  private final MultiThreadIoEventLoopGroup loops;
  private final IoEventLoop dataLoop;
  private final EventLoop controlLoop;
  private final OutsideResolver names;
  private final TunDevice tun;
  private final DataPath data;
  private final NetworkWatch network;
  private final TokenSource tokens;
  private final ReceiptLedger receipts;
  private final ControlClient control;
  private final TrustedAuthorities authorities;
  private @Nullable EgressRouting routing;
  private @Nullable ProcessMetrics metrics;
  private @Nullable OperationsEndpoint operations;
  // Written by the control loop, read by anybody.
  private volatile @Nullable Welcomed welcomed;
  private volatile boolean controlStands;
  private volatile String lastFailure = "";
  private volatile long tokenExpiresMs;
  private volatile List<Snapt> snapts = List.of();
  private volatile long sessionSinceMs;
  private volatile @Nullable InetSocketAddress peer;

  /// Makes the TUN and the sockets; nothing flows before [#start].
  ///
  /// @throws IOException naming what is missing and what to do
  Agent(CnaptConfiguration configuration, InstantSource clock, LongSupplier nanoTime)
      throws IOException {
    this.configuration = configuration;
    this.clock = clock;
    this.carriers = new CarrierLog(clock);
    this.nanoTime = nanoTime;
    this.startedNs = nanoTime.getAsLong();
    this.loops =
        new MultiThreadIoEventLoopGroup(
            2, new DefaultThreadFactory("cnapt", true), EpollIoHandler.newFactory());
    this.dataLoop = loops.next();
    this.controlLoop = loops.next();
    this.limits = configuration.tunnel().limits();
    DeviceIdentity device = DeviceIdentity.read(configuration.deviceKey());
    int mark = configuration.routing().enabled() ? configuration.routing().mark() : 0;
    // Before anything looks up a name: the device's routes will lead other look-ups into the
    // tunnel.
    this.names = new OutsideResolver(controlLoop, mark, nanoTime);
    OutsideResolverProvider.install(names);
    this.tokens =
        configuration
            .tokenFile()
            .<TokenSource>map(FileTokenSource::new)
            .orElseGet(() ->
                new SipTokenSource(configuration.signalling(), mark, device.publicKey(), clock));
    this.authorities = new TrustedAuthorities(configuration.trust());
    // SIP and TLS each take as long to begin as all the rest.
    EarlyStart.beside("tls-start", authorities::get);
    EarlyStart.beside("sip-start", tokens::prepare);
    this.receipts =
        ReceiptLedger.open(configuration.state(), configuration.receipts(), device::sign, clock);
    Classifier classifier = Applications.classifier(configuration.applications());
    this.tun = TunDevice.open(new TunSettings(configuration.tun().name(), 1));
    this.data =
        new DataPath(
            dataLoop,
            nanoTime,
            tun.queues().getFirst(),
            mark,
            classifier,
            owners,
            configuration.mobility(),
            this);
    this.network = new NetworkWatch(dataLoop, tun.name(), mark, () -> peer, this);
    this.control =
        new ControlClient(
            controlLoop,
            authorities,
            mark,
            configuration.control(),
            configuration.snapt(),
            device,
            greeting(classifier),
            receipts,
            new SecureRandom(),
            this);
  }

  private Greeting greeting(Classifier classifier) {
    return new Greeting(
        AeadPreference.order(configuration.tunnel().aead()),
        classifier.applications().stream().map(Application::name).toList(),
        limits,
        configuration.tun().ipv4(),
        configuration.tun().ipv6(),
        "viaduct cnapt " + ProcessMetrics.versionOf(Agent.class));
  }

  /// Starts everything; returns when routes stand, not when a SNAPT has answered.
  ///
  /// @throws IOException if the kernel refuses addresses, rules or routes, or a port is taken
  void start() throws IOException {
    LOG.info("AES-256-GCM by {}", Ciphers.provider(AeadAlgorithm.AES_256_GCM));
    EgressStart leading =
        new EgressStart(configuration.tun(), tun.name(), limits.tunMtu(), configuration.routing());
    tokens.start(this::ticket);
    routing = leading.await();
    authorities.get(); // refuses a bad file here, before anything else waits for it in vain
    network.start();
    ProcessMetrics meters = new ProcessMetrics("cnapt", Agent.class);
    metrics = meters;
    meters.allocatedBy(List.of(dataLoop));
    new AgentMeters(meters.registry())
        .of(data.carried(), data, control, receipts, handovers, carriers, owners);
    OperationsEndpoint endpoint = new OperationsEndpoint(meters, readiness);
    operations = endpoint;
    endpoint.listen(configuration.operations());
    endpoint.listen(configuration.statusSocket(), this::status);
  }

  private void ticket(SessionTicket ticket) {
    tokenExpiresMs = ticket.expiresMs();
    control.present(ticket.token(), ticket.relays());
  }

  @Override
  public void welcomed(Welcomed by) {
    Welcome welcome = by.welcome();
    Welcomed before = welcomed;
    welcomed = by;
    controlStands = true;
    peer = by.data();
    readiness.cleared(SESSION);
    if (welcome.getResumed()) {
      boolean moved = before == null || !before.data().equals(by.data());
      dataLoop.execute(() -> {
        if (moved) {
          data.peerMoved(by.data());
        }
        data.control(by.connection());
        network.look();
      });
      return;
    }
    sessionSinceMs = clock.millis();
    TunnelTerms terms =
        new TunnelTerms(
            AeadAlgorithm.valueOf(welcome.getAead().name()),
            SessionSecret.of(welcome.getSecret().toByteArray()),
            welcome.getReceiverIndex(),
            limits.agreed(welcome.getPathMtu(), welcome.getHistoryBytes()),
            by.data().getAddress() instanceof Inet6Address);
    SessionParameters parameters =
        new SessionParameters(
            terms,
            configuration.tunnel().sending(),
            by.data(),
            by.ownReceiverIndex(),
            receipts.begin(welcome.getSnaptId(), welcome.getSessionId(), welcome.getEpoch()));
    dataLoop.execute(() -> {
      data.install(parameters);
      data.control(by.connection());
      network.look();
    });
    EarlyStart.beside("codec-start", ZstdBlocks::load);
    fitMtu(terms.limits().tunMtu());
  }

  private void fitMtu(int mtu) {
    EgressRouting set = routing;
    if (set != null) {
      set.fit(mtu);
    }
  }

  @Override
  public void datagrams(List<ByteBuf> datagrams, Runnable taken) {
    dataLoop.execute(() -> {
      data.controlDatagrams(datagrams);
      taken.run();
    });
  }

  @Override
  public void lost(ControlFailure why, String detail) {
    controlStands = false;
    dataLoop.execute(data::controlLost);
    if (why != ControlFailure.NETWORK_CHANGED) {
      lastFailure = why.label() + ": " + detail;
    }
  }

  @Override
  public void tokenRefused(String detail) {
    LOG.warn("the SNAPT refuses the token: {}", detail);
    tokens.renew();
  }

  @Override
  public void tokenAccepted(long expiresMs) {
    tokenExpiresMs = expiresMs;
  }

  @Override
  public void relays(List<Snapt> relays) {
    snapts = relays;
  }

  @Override
  public void networkMayHaveChanged() {
    data.networkChanged();
  }

  @Override
  public void moved(String cause, String from, String to) {
    handovers.begun(clock.instant(), nanoTime.getAsLong(), cause, from, to);
    LOG.info("handover by {}: {} -> {}", cause, from, to);
    if (!to.equals("nowhere")) {
      data.networkChanged();
      names.networkChanged();
      control.networkChanged();
      tokens.networkChanged();
    }
  }

  @Override
  public void pathFound(long nowNs) {
    Handover done = handovers.answered(nowNs);
    if (done != null) {
      LOG.info("handover done: {} -> {} in {} ms", done.from(), done.to(), done.outageMs());
    }
  }

  @Override
  public void pathDead() {
    String here = network.described();
    LOG.warn("the path to the SNAPT is dead although the link is up: {}", here);
    handovers.begun(clock.instant(), nanoTime.getAsLong(), "path_dead", here, here);
    control.pathDead();
    tokens.networkChanged();
  }

  @Override
  public void carrierChanged(Carrier to, long silentNs) {
    carriers.changed(to, silentNs);
  }

  @Override
  public void carrierResumed(long afterNs) {
    carriers.resumed(afterNs);
  }

  /// The agent at this moment; any thread but the data loop.
  AgentStatus status() {
    var snapshot = dataLoop.submit(data::status).syncUninterruptibly().getNow();
    Welcomed by = welcomed;
    List<String> reasons = new ArrayList<>();
    if (by == null) {
      reasons.add("no SNAPT has welcomed this device yet");
    } else if (snapshot.pathState().equals("dead")) {
      reasons.add("the path to the SNAPT is dead");
    }
    if (snapshot.carrier().equals("control")) {
      reasons.add("UDP does not come through, packets travel in the control connection");
    }
    if (by != null && !controlStands) {
      reasons.add("no control connection at this moment");
    }
    String expires = tokenExpiresMs == 0 ? "" : Instant.ofEpochMilli(tokenExpiresMs).toString();
    return new AgentStatus(
        reasons.isEmpty() ? "up" : by == null ? "starting" : "degraded",
        reasons,
        ProcessMetrics.versionOf(Agent.class),
        ProcessHandle.current().pid(),
        (nanoTime.getAsLong() - startedNs) / 1_000_000,
        new AgentStatus.TunStatus(
            tun.name(),
            configuration.tun().ipv4(),
            configuration.tun().ipv6(),
            routing == null ? 0 : routing.mtu()),
        by == null
            ? null
            : new AgentStatus.SessionStatus(
                by.snapt().toString(),
                by.welcome().getSessionId(),
                by.welcome().getAead().name(),
                by.welcome().getPathMtu(),
                by.welcome().getReportIntervalMs(),
                sessionSinceMs),
        new AgentStatus.ControlStatus(
            controlStands, expires, lastFailure, snapts.stream().map(Snapt::toString).toList()),
        new AgentStatus.ReceiptsStatus(
            by != null && by.welcome().getFeaturesList().contains(Feature.RECEIPTS),
            receipts.of(ReceiptLedger.Outcome.SIGNED),
            receipts.of(ReceiptLedger.Outcome.COUNTS_DIFFER)
                + receipts.of(ReceiptLedger.Outcome.UNKNOWN_SESSION),
            receipts.owed()),
        tokens.status(),
        network.described(),
        snapshot,
        handovers.count(),
        handovers.entries(),
        carriers.entries());
  }

  /// Stops cleanly: what was read is sent, the last interval is signed, the SNAPT and the bridge
  /// are told, rules, routes and TUN go.
  @Override
  public void close() {
    readiness.obstructed(SESSION, "stopping");
    EgressRouting set = routing;
    if (set != null) {
      set.close();
    }
    network.close();
    data.close();
    control.close("the agent stops");
    tokens.close();
    OutsideResolverProvider.install(null);
    names.close();
    owners.close();
    OperationsEndpoint endpoint = operations;
    if (endpoint != null) {
      endpoint.close();
    }
    ProcessMetrics meters = metrics;
    if (meters != null) {
      meters.close();
    }
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2000);
    receipts.close();
    tun.close();
  }
}
