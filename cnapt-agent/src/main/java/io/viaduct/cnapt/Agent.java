package io.viaduct.cnapt;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.viaduct.cnapt.classification.Applications;
import io.viaduct.cnapt.classification.Classifier;
import io.viaduct.cnapt.classification.OwnerLookup;
import io.viaduct.cnapt.control.ControlClient;
import io.viaduct.cnapt.control.ControlFailure;
import io.viaduct.cnapt.control.ControlListener;
import io.viaduct.cnapt.control.DeviceIdentity;
import io.viaduct.cnapt.control.Snapt;
import io.viaduct.cnapt.control.Welcomed;
import io.viaduct.cnapt.egress.EgressRouting;
import io.viaduct.cnapt.egress.EgressStart;
import io.viaduct.cnapt.links.LinkMonitor;
import io.viaduct.cnapt.links.LinkRules;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.mobility.CarrierLog;
import io.viaduct.cnapt.mobility.Handover;
import io.viaduct.cnapt.mobility.HandoverLog;
import io.viaduct.cnapt.mobility.NetworkWatch;
import io.viaduct.cnapt.mobility.SleepWatch;
import io.viaduct.cnapt.naming.ApplicationResolvers;
import io.viaduct.cnapt.naming.OutsideResolver;
import io.viaduct.cnapt.naming.OutsideResolverProvider;
import io.viaduct.cnapt.operations.AgentMeters;
import io.viaduct.cnapt.policy.Policy;
import io.viaduct.cnapt.receipts.ReceiptLedger;
import io.viaduct.cnapt.signalling.FileTokenSource;
import io.viaduct.cnapt.signalling.SessionTicket;
import io.viaduct.cnapt.signalling.SipTokenSource;
import io.viaduct.cnapt.signalling.TokenSource;
import io.viaduct.cnapt.tunnel.Admission;
import io.viaduct.cnapt.tunnel.DataPath;
import io.viaduct.cnapt.tunnel.DataPathListener;
import io.viaduct.cnapt.tunnel.EndRole;
import io.viaduct.cnapt.tunnel.LeftPath;
import io.viaduct.cnapt.tunnel.SessionParameters;
import io.viaduct.host.tun.TunDevice;
import io.viaduct.host.tun.TunSettings;
import io.viaduct.service.configuration.ConfigurationKeys;
import io.viaduct.service.configuration.ConfigurationSource;
import io.viaduct.service.operations.OperationsEndpoint;
import io.viaduct.service.operations.ProcessMetrics;
import io.viaduct.service.operations.Readiness;
import io.viaduct.service.reload.ConfigurationReload;
import io.viaduct.service.tls.CertificateMeters;
import io.viaduct.tunnel.control.v1.CreditNotice;
import io.viaduct.tunnel.control.v1.Welcome;
import io.viaduct.tunnel.dictionary.ZstdBlocks;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.Ciphers;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.terms.TunnelTerms;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Assembles one agent. The parts call each other as follows:
///
///     token source ─ticket→ control client ─keys→ data path ←packets→ TUN, UDP
///     data path ─counts→ receipt ledger ─receipts→ control client
///     network watch ─moved→ data path (probe), control client (reconnect), token source (register again)
///
/// Two event loops: `data` owns data path and network watch, `control` owns the control client. Fields
/// shared between threads name their writer.
final class Agent
    implements CarryingAgent, ControlListener, DataPathListener, NetworkWatch.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Agent.class);
  private static final String SESSION = "session";

  private final CnaptConfiguration configuration;
  private final InstantSource clock;
  private final LongSupplier nanoTime;
  private final SessionState state = new SessionState();
  private final Readiness readiness = new Readiness(SESSION);
  private final HandoverLog handovers = new HandoverLog();
  private final CarrierLog carriers;
  private final OwnerLookup owners = new OwnerLookup();
  private final TunnelLimits limits;
  private final MultiThreadIoEventLoopGroup loops;
  private final IoEventLoop dataLoop;
  private final EventLoop controlLoop;
  private final OutsideResolver names;
  private final Classifier classifier; // the table at the start
  private final TunDevice tun;
  private final DataPath data;
  private final NetworkWatch network;
  private final RegistrationMoves registration;
  private final TokenSource tokens;
  private final ReceiptLedger receipts;
  private final ControlClient control;
  private final TrustedAuthorities authorities;
  private final AtomicBoolean slept = new AtomicBoolean(); // and has no new token yet
  private volatile @Nullable EgressRouting routing; // written by the starting thread
  private volatile @Nullable ApplicationResolvers resolvers; // written by the starting thread
  private @Nullable ProcessMetrics metrics;
  private @Nullable OperationsEndpoint operations;

  /// Creates the TUN and the sockets. Carries no packets before [#start].
  ///
  /// @throws IOException if a resource is missing; the message names it and says what to do
  Agent(CnaptConfiguration configuration, InstantSource clock, LongSupplier nanoTime)
      throws IOException {
    this.configuration = configuration;
    this.clock = clock;
    this.carriers = new CarrierLog(clock);
    this.nanoTime = nanoTime;
    this.loops =
        new MultiThreadIoEventLoopGroup(
            2, new DefaultThreadFactory("cnapt", true), EpollIoHandler.newFactory());
    this.dataLoop = loops.next();
    this.controlLoop = loops.next();
    this.limits = configuration.tunnel().limits();
    DeviceIdentity device = DeviceIdentity.read(configuration.deviceKey());
    this.authorities = new TrustedAuthorities(configuration.trust().orElseThrow(), clock);
    int mark = configuration.routing().enabled() ? configuration.routing().mark() : 0;
    // Created before any name look-up, because the device's routes will lead other look-ups into
    // the tunnel.
    this.names = new OutsideResolver(controlLoop, mark, configuration.resolvers(), nanoTime);
    OutsideResolverProvider.install(names);
    this.tokens =
        configuration
            .tokenFile()
            .<TokenSource>map(FileTokenSource::new)
            .orElseGet(() ->
                new SipTokenSource(configuration.signalling(), mark, device.publicKey(), clock));
    // The start of SIP and of TLS each takes as long as the rest of the start.
    EarlyStart.beside("tls-start", authorities::get);
    EarlyStart.beside("sip-start", tokens::prepare);
    this.receipts =
        ReceiptLedger.open(configuration.state(), configuration.receipts(), device::sign, clock);
    this.classifier = Applications.classifier(configuration.applications());
    Policy policy = AgentReload.policy("", configuration, classifier);
    this.tun = TunDevice.open(new TunSettings(configuration.tun().name(), 1));
    this.data =
        new DataPath(
            dataLoop,
            nanoTime,
            tun.queues().getFirst(),
            mark,
            classifier,
            policy,
            owners,
            new EndRole.Dialling(configuration.mobility(), null),
            Admission.ALL,
            this);
    LinkMonitor links =
        new LinkMonitor(
            dataLoop, LinkRules.of(configuration.links()), data.links(), this::linksChanged);
    this.registration = new RegistrationMoves(dataLoop, tokens::networkChanged);
    this.network = new NetworkWatch(dataLoop, tun.name(), mark, state::peer, this, links);
    this.control =
        new ControlClient(
            controlLoop,
            authorities,
            mark,
            () -> data.ranked(network.links().links()),
            configuration.control(),
            configuration.snapt(),
            device,
            configuration.greeting(classifier.names()),
            receipts,
            new SecureRandom(),
            this);
  }

  @Override
  public void start() throws IOException {
    LOG.info("AES-256-GCM by {}", Ciphers.provider(AeadAlgorithm.AES_256_GCM));
    EgressStart leading =
        new EgressStart(
            configuration.tun(),
            tun.name(),
            limits.tunMtu(),
            configuration.routing(),
            configuration.resolvers(),
            configuration.splitTunnel());
    tokens.start(this::ticket);
    EgressRouting leadingRoutes = leading.await();
    routing = leadingRoutes;
    leadingRoutes.guard(configuration.tun(), configuration.outage(), classifier);
    leadingRoutes.watchPortal(configuration.portal(), controlLoop, control::networkChanged);
    if (state.peer() != null) {
      leadingRoutes.carries(true); // the Welcome came before the guard
    }
    resolvers = ApplicationResolvers.set(configuration.dns(), tun.name(), configuration.state());
    network.start();
    SleepWatch sleep = new SleepWatch(clock.millis(), nanoTime.getAsLong());
    watchSleep(sleep);
    ProcessMetrics meters = new ProcessMetrics("cnapt", Agent.class);
    metrics = meters;
    meters.allocatedBy(List.of(dataLoop));
    CertificateMeters.trust(meters.registry(), authorities::certificates);
    AgentMeters own = new AgentMeters(meters.registry());
    own.of(data.carried(), data.counters(), control, receipts, handovers, carriers, owners);
    own.sip(() -> tokens.status().probes());
    OperationsEndpoint endpoint = new OperationsEndpoint(meters, readiness);
    operations = endpoint;
    endpoint.listen(configuration.operations());
    endpoint.listen(configuration.statusSocket(), statusSource(leadingRoutes)::status);
  }

  private void watchSleep(SleepWatch sleep) {
    var unused =
        dataLoop.scheduleWithFixedDelay(
            () -> woken(sleep.tick(clock.millis(), nanoTime.getAsLong())),
            SleepWatch.PERIOD_MS,
            SleepWatch.PERIOD_MS,
            TimeUnit.MILLISECONDS);
  }

  // The token has probably expired, and SIP's timers stood still. The SNAPT may wait many seconds
  // before it repeats what it sent to the sleeping device by the control connection, for example
  // the receipts to sign before it takes a new token. So the new token goes by a new connection.
  private void woken(long sleptMs) {
    if (sleptMs > 0) {
      LOG.info("awake after {} s: probing, and asking the bridge for a new token", sleptMs / 1_000);
      slept.set(true);
      data.awake();
      tokens.networkChanged();
    }
  }

  private AgentStatusSource statusSource(EgressRouting routes) {
    return new AgentStatusSource(
        configuration,
        nanoTime,
        dataLoop,
        data,
        tun.name(),
        routes,
        state,
        authorities,
        receipts,
        tokens,
        network,
        handovers,
        carriers);
  }

  @Override
  public LiveChanges changes() {
    return new LiveChanges(dataLoop, network, data, classifier);
  }

  @Override
  public ConfigurationReload<CnaptConfiguration> reload(
      ConfigurationSource<CnaptConfiguration> source) {
    return new ConfigurationReload<>(
        source,
        ConfigurationKeys.of(configuration),
        AgentReload.parts(this),
        Objects.requireNonNull(metrics, "the agent is started first").registry(),
        clock);
  }

  Runnable trust(Path trust) {
    return authorities.prepare(trust);
  }

  private void ticket(SessionTicket ticket) {
    state.tokenExpires(ticket.expiresMs());
    control.present(ticket.token(), ticket.relays(), ticket.addresses());
    if (slept.getAndSet(false)) {
      control.networkChanged();
    }
  }

  @Override
  public void welcomed(Welcomed by) {
    Welcome welcome = by.welcome();
    tokens.tunnel(true);
    Welcomed before = state.welcomed(by, clock.millis());
    readiness.cleared(SESSION);
    ifPresent(routing, routes -> routes.carries(true));
    if (welcome.getResumed()) {
      boolean moved = before == null || !before.peers().equals(by.peers());
      dataLoop.execute(() -> {
        if (moved) {
          data.peersMoved(by.peers());
        }
        data.control(by.connection());
        network.look();
      });
      return;
    }
    TunnelTerms terms = by.terms(limits);
    SessionParameters parameters =
        new SessionParameters(
            terms,
            configuration.tunnel().sending(),
            by.peers(),
            by.ownReceiverIndex(),
            receipts.begin(welcome.getSnaptId(), welcome.getSessionId(), welcome.getEpoch()));
    dataLoop.execute(() -> {
      data.install(parameters);
      data.control(by.connection());
      network.look();
    });
    EarlyStart.beside("codec-start", ZstdBlocks::load);
    ifPresent(routing, routes -> routes.fit(terms.limits().tunMtu()));
  }

  private static <T> void ifPresent(@Nullable T part, Consumer<T> action) {
    if (part != null) {
      action.accept(part);
    }
  }

  @Override
  public long carriedBytes() {
    return data.carried().preBytes();
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
    tokens.tunnel(false);
    state.lost(why, detail);
    dataLoop.execute(data::controlLost);
  }

  @Override
  public void tokenRefused(String detail) {
    LOG.warn("the SNAPT refuses the token: {}", detail);
    tokens.renew();
  }

  @Override
  public void tokenAccepted(long expiresMs) {
    state.tokenExpires(expiresMs);
  }

  @Override
  public void credit(CreditNotice notice) {
    String words = state.credit(notice);
    if (words.isEmpty()) {
      LOG.info("the credit of the account suffices again");
    } else {
      LOG.warn("{}", words);
    }
  }

  @Override
  public void relays(List<Snapt> relays) {
    state.snapts(relays);
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
      ifPresent(resolvers, ApplicationResolvers::networkChanged);
      if (network.links().links().isEmpty()) {
        control.networkChanged(); // otherwise the connection follows its link
      }
      registration.moved(from, to);
    }
  }

  private void linksChanged(List<UsableLink> now) {
    control.linksChanged(now);
  }

  @Override
  public void pathFound(long nowNs) {
    ifPresent(routing, routes -> routes.carries(true));
    Handover done = handovers.answered(nowNs);
    if (done != null) {
      LOG.info("handover done: {} -> {} in {} ms", done.from(), done.to(), done.outageMs());
    }
  }

  @Override
  public void pathLeft(LeftPath left) {
    LOG.warn("nothing arrives by {}, which is up: packets leave by {}", left.name(), left.to());
    handovers.begun(clock.instant(), nanoTime.getAsLong(), "silence", left.name(), left.to());
    control.pathSilent(left.link(), left.remote());
  }

  @Override
  public void pathDead() {
    ifPresent(routing, routes -> routes.carries(false));
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

  /// Stops cleanly. Sends the packets that were read, signs the last interval, and ends the session
  /// at the SNAPT and the bridge. Removes rules, routes and TUN.
  @Override
  public void close() {
    readiness.obstructed(SESSION, "stopping");
    ifPresent(resolvers, ApplicationResolvers::close);
    ifPresent(routing, EgressRouting::close);
    network.close();
    data.close();
    control.close("the agent stops");
    tokens.close();
    OutsideResolverProvider.install(null);
    names.close();
    owners.close();
    ifPresent(operations, OperationsEndpoint::close);
    ifPresent(metrics, ProcessMetrics::close);
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2000);
    receipts.close();
    tun.close();
  }
}
