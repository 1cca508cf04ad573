package io.viaduct.cnapt;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.viaduct.cnapt.classification.AddressRanges;
import io.viaduct.cnapt.classification.Applications;
import io.viaduct.cnapt.classification.Classifier;
import io.viaduct.cnapt.classification.OwnerLookup;
import io.viaduct.cnapt.control.BridgeDirectory;
import io.viaduct.cnapt.control.ControlClient;
import io.viaduct.cnapt.control.ControlTransport;
import io.viaduct.cnapt.control.DeviceIdentity;
import io.viaduct.cnapt.control.DeviceSnapts;
import io.viaduct.cnapt.control.Snapt;
import io.viaduct.cnapt.control.SnaptClaims;
import io.viaduct.cnapt.control.SnaptOrder;
import io.viaduct.cnapt.control.SnaptWatch;
import io.viaduct.cnapt.egress.EgressRouting;
import io.viaduct.cnapt.egress.EgressStart;
import io.viaduct.cnapt.hook.RoutingHook;
import io.viaduct.cnapt.links.LinkMonitor;
import io.viaduct.cnapt.links.LinkRules;
import io.viaduct.cnapt.mobility.CarrierLog;
import io.viaduct.cnapt.mobility.Handover;
import io.viaduct.cnapt.mobility.HandoverLog;
import io.viaduct.cnapt.mobility.NetworkWatch;
import io.viaduct.cnapt.mobility.SleepWatch;
import io.viaduct.cnapt.mobility.StrayRoutes;
import io.viaduct.cnapt.naming.ApplicationResolvers;
import io.viaduct.cnapt.naming.OutsideResolver;
import io.viaduct.cnapt.naming.OutsideResolverProvider;
import io.viaduct.cnapt.naming.PortalNames;
import io.viaduct.cnapt.operations.ControlMeters;
import io.viaduct.cnapt.operations.EgressMeters;
import io.viaduct.cnapt.operations.HookMeters;
import io.viaduct.cnapt.operations.MobilityMeters;
import io.viaduct.cnapt.operations.OperatorMeters;
import io.viaduct.cnapt.operations.PathMeters;
import io.viaduct.cnapt.operations.TunnelMeters;
import io.viaduct.cnapt.policy.Policy;
import io.viaduct.cnapt.receipts.LineReceipts;
import io.viaduct.cnapt.receipts.ReceiptLedger;
import io.viaduct.cnapt.signalling.FileTokenSource;
import io.viaduct.cnapt.signalling.SessionTicket;
import io.viaduct.cnapt.signalling.SipTokenSource;
import io.viaduct.cnapt.signalling.TokenSource;
import io.viaduct.cnapt.snapts.SnaptChoice;
import io.viaduct.cnapt.snapts.SnaptTerms;
import io.viaduct.cnapt.tunnel.Admission;
import io.viaduct.cnapt.tunnel.DataPath;
import io.viaduct.cnapt.tunnel.EndRole;
import io.viaduct.cnapt.tunnel.LeftPath;
import io.viaduct.cnapt.tunnel.TunnelEnd;
import io.viaduct.cnapt.usage.DeviceReports;
import io.viaduct.host.tun.TunDevice;
import io.viaduct.host.tun.TunSettings;
import io.viaduct.service.configuration.ConfigurationKeys;
import io.viaduct.service.configuration.ConfigurationSource;
import io.viaduct.service.operations.OperationsEndpoint;
import io.viaduct.service.operations.ProcessMetrics;
import io.viaduct.service.operations.Readiness;
import io.viaduct.service.reload.ConfigurationReload;
import io.viaduct.service.tls.CertificateMeters;
import io.viaduct.tunnel.dictionary.ZstdBlocks;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.Ciphers;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.terms.TunnelTerms;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
///     token source ─ticket→ control clients ─keys→ data path ←packets→ TUN, UDP
///     data path ─counts→ receipt ledger ─receipts→ control clients
///     network watch ─moved→ data path (probe), control clients (reconnect), token source (register again)
///
/// Each SNAPT in use is a line of control client and tunnel end ([UsedSnapts]). Two event loops: `data`
/// owns data path and network watch, `control` owns the control clients. Fields shared between
/// threads name their writer.
final class Agent implements CarryingAgent, SnaptLine.Owner, NetworkWatch.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Agent.class);
  private static final String SESSION = "session";

  private final CnaptConfiguration configuration;
  private final InstantSource clock;
  private final LongSupplier nanoTime;
  private final Readiness readiness = new Readiness(SESSION);
  private final HandoverLog handovers = new HandoverLog();
  private final CarrierLog carriers;
  private final OwnerLookup owners = new OwnerLookup();
  private final TunnelLimits limits;
  private final MultiThreadIoEventLoopGroup loops;
  private final IoEventLoop dataLoop;
  private final EventLoop controlLoop;
  private final OutsideResolver names;
  private final PortalNames portalNames;
  private final Classifier classifier; // the table at the start
  private final TunDevice tun;
  private final DataPath data;
  private final NetworkWatch network;
  private final StrayRoutes strays;
  private final RegistrationMoves registration;
  private final TokenSource tokens;
  private final DeviceReports reports;
  private final ReceiptLedger receipts;
  private final BridgeDirectory bridge;
  private final UsedSnapts snapts;
  private final TrustedAuthorities authorities;
  private final AtomicBoolean slept = new AtomicBoolean(); // and has no new token yet
  private volatile @Nullable EgressRouting routing; // written by the starting thread
  private volatile @Nullable ApplicationResolvers resolvers; // written by the starting thread
  private @Nullable ProcessMetrics metrics;
  private @Nullable OperationsEndpoint operations;
  private @Nullable RoutingHook hook;

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
    InetSocketAddress own = configuration.portalResolver();
    List<InetAddress> inside = new ArrayList<>(configuration.resolvers());
    inside.add(own.getAddress());
    this.names = new OutsideResolver(controlLoop, mark, inside, nanoTime);
    this.portalNames = new PortalNames(controlLoop, own, () -> resolvers);
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
    this.reports =
        DeviceReports.open(
            configuration.state(), device::signReport, tokens::publish, clock, nanoTime);
    this.receipts =
        ReceiptLedger.open(
            configuration.state(), configuration.receipts(), device::sign, clock, reports);
    this.classifier = Applications.classifier(configuration.applications());
    Policy policy = AgentReload.policy("", configuration, classifier);
    this.tun = TunDevice.open(new TunSettings(configuration.tun().name(), 1));
    this.bridge = new BridgeDirectory(nanoTime);
    SnaptOrder order =
        SnaptOrder.of(
            device.publicKey(),
            configuration.snapts().region(),
            configuration.snapts().priceWeight());
    this.snapts = new UsedSnapts(lines(), order, bridge);
    this.data =
        new DataPath(
            dataLoop,
            nanoTime,
            tun.queues().getFirst(),
            new AddressRanges(configuration.tun().addresses()),
            mark,
            classifier,
            policy,
            owners,
            new EndRole.Dialling(configuration.mobility(), null),
            Admission.ALL,
            new SnaptChoice(configuration.snapts()),
            snapts.listeners());
    LinkMonitor links =
        new LinkMonitor(
            dataLoop, LinkRules.of(configuration.links()), data.links(), snapts::linksChanged);
    this.registration = new RegistrationMoves(dataLoop, tokens::networkChanged);
    this.network = new NetworkWatch(dataLoop, tun.name(), mark, snapts::peer, this, links);
    this.strays = new StrayRoutes(tun.name(), configuration.followedNetworks());
    if (configuration.routing().enabled()) {
      network.alsoTell(strays::accept);
    }
    SnaptClaims claims = new SnaptClaims(order);
    snapts.join(data, (line, end) -> client(line, end, mark, device, claims));
    snapts.spreadBy(claims, new SecureRandom(), controlLoop);
    if (configuration.snapts().sessions() > 1) {
      SnaptWatch watch =
          new SnaptWatch(
              controlLoop,
              mark,
              () -> data.first().ranked(network.links().links()),
              () -> data.carried().preBytes(),
              claims);
      claims.measuredBy(watch);
      snapts.measuredBy(watch, nanoTime);
    }
  }

  private List<SnaptLine> lines() {
    List<SnaptLine> lines = new ArrayList<>();
    for (int number = 0; number < configuration.snapts().sessions(); number++) {
      lines.add(
          new SnaptLine(
              dataLoop,
              configuration.tunnel(),
              new LineReceipts(receipts, number),
              clock,
              this));
    }
    return lines;
  }

  private ControlClient client(
      SnaptLine line, TunnelEnd end, int mark, DeviceIdentity device, SnaptClaims claims) {
    return new ControlClient(
        new ControlTransport(
            controlLoop, authorities, mark, () -> end.ranked(network.links().links())),
        configuration.control(),
        device,
        configuration.greeting(classifier.names()),
        new DeviceSnapts(configuration.snapt(), claims, bridge),
        line.receipts(),
        new SecureRandom(),
        line);
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
    leadingRoutes.watchPortal(
        configuration.portal(), this::snaptHosts, controlLoop, portalNames, snapts::networkChanged);
    if (snapts.peer() != null) {
      leadingRoutes.carries(true); // the Welcome came before the guard
    }
    resolvers = ApplicationResolvers.set(configuration.dns(), tun.name(), configuration.state());
    network.start();
    SleepWatch sleep = new SleepWatch(clock.millis(), nanoTime.getAsLong());
    watchSleep(sleep);
    watchReach(new ReachWatch(snapts::reach, leadingRoutes::carries));
    ProcessMetrics meters = new ProcessMetrics("cnapt", Agent.class);
    metrics = meters;
    meters.allocatedBy(List.of(dataLoop));
    CertificateMeters.trust(meters.registry(), authorities::certificates);
    List<MeterBinder> own = new ArrayList<>();
    own.add(new TunnelMeters(data.carried(), data.counters(), owners));
    own.add(new PathMeters(configuration.snapts().sessions(), data.counters()));
    own.add(new MobilityMeters(handovers, carriers));
    own.add(new ControlMeters(snapts.clients()));
    own.add(new OperatorMeters(() -> tokens.status().probes(), bridge, receipts, reports));
    own.add(new EgressMeters(strays, portalNames));
    if (configuration.routingHook().socket().isPresent()) {
      RoutingHook opened =
          FlowHook.open(configuration.routingHook().socket().get(), data.events(), clock);
      hook = opened;
      own.add(new HookMeters(opened));
    }
    own.forEach(each -> each.bindTo(meters.registry()));
    OperationsEndpoint endpoint = new OperationsEndpoint(meters, readiness);
    operations = endpoint;
    endpoint.listen(configuration.operations());
    endpoint.listen(
        configuration.statusSocket(),
        statusSource(leadingRoutes)::status,
        FlowQuestions.actions(dataLoop, data));
  }

  private List<String> snaptHosts() {
    List<String> hosts = new ArrayList<>(snapts.hosts());
    String first = configuration.snapt().host();
    if (!first.isEmpty() && !hosts.contains(first)) {
      hosts.addFirst(first);
    }
    return hosts;
  }

  private void watchSleep(SleepWatch sleep) {
    var unused =
        dataLoop.scheduleWithFixedDelay(
            () -> woken(sleep.tick(clock.millis(), nanoTime.getAsLong())),
            SleepWatch.PERIOD_MS,
            SleepWatch.PERIOD_MS,
            TimeUnit.MILLISECONDS);
  }

  private void watchReach(ReachWatch reach) {
    var unused =
        dataLoop.scheduleWithFixedDelay(
            reach::look, ReachWatch.PERIOD_MS, ReachWatch.PERIOD_MS, TimeUnit.MILLISECONDS);
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
        snapts,
        authorities,
        receipts,
        tokens,
        network,
        strays,
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
    reports.token(ticket.token());
    snapts.present(ticket);
    if (slept.getAndSet(false)) {
      snapts.networkChanged();
    }
  }

  // --- the SNAPTs in use

  @Override
  public void welcomed(SnaptLine by, @Nullable TunnelTerms fresh) {
    tokens.tunnel(true);
    readiness.cleared(SESSION);
    snapts.alive(by, true);
    snapts.inform(by);
    ifPresent(routing, routes -> routes.carries(true));
    if (fresh != null) {
      EarlyStart.beside("codec-start", ZstdBlocks::load);
      ifPresent(routing, routes -> routes.fit(snapts.tunMtu()));
    }
  }

  private static <T> void ifPresent(@Nullable T part, Consumer<T> action) {
    if (part != null) {
      action.accept(part);
    }
  }

  @Override
  public void connected() {
    network.look();
  }

  @Override
  public void lost(SnaptLine by) {
    if (!snapts.isConnected()) {
      tokens.tunnel(false);
    }
    snapts.lost(by);
  }

  @Override
  public boolean carriesBeside(SnaptLine line) {
    return snapts.carryBeside(line);
  }

  @Override
  public void rested(SnaptLine by) {
    snapts.alive(by, false);
    ifPresent(routing, routes -> routes.fit(snapts.tunMtu()));
  }

  @Override
  public void tokenRefused(String detail) {
    LOG.warn("the SNAPT refuses the token: {}", detail);
    tokens.renew();
  }

  @Override
  public void terms(Map<String, SnaptTerms> told) {
    snapts.terms(told);
  }

  @Override
  public void relays(SnaptLine by, List<Snapt> relays) {
    snapts.listed(by, relays);
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
        snapts.networkChanged(); // otherwise the connection follows its link
      }
      registration.moved(from, to);
    }
  }

  @Override
  public void pathFound(SnaptLine by, long nowNs) {
    snapts.alive(by, true);
    snapts.inform(by);
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
  }

  @Override
  public void trafficMoved(String cause, String from, String to, boolean isToBeAnswered) {
    if (isToBeAnswered) {
      handovers.begun(clock.instant(), nanoTime.getAsLong(), cause, from, to);
    } else {
      handovers.moved(clock.instant(), nanoTime.getAsLong(), cause, from, to);
    }
  }

  @Override
  public void pathDead(SnaptLine by) {
    if (snapts.alive(by, false)) {
      LOG.warn("nothing arrives from {}: new flows take another SNAPT", by.end().name());
      return; // the network is not the cause
    }
    ifPresent(routing, routes -> routes.carries(false));
    String here = network.described();
    LOG.warn("the path to the SNAPT is dead although the link is up: {}", here);
    handovers.begun(clock.instant(), nanoTime.getAsLong(), "path_dead", here, here);
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
    snapts.close("the agent stops");
    reports.close();
    tokens.close();
    OutsideResolverProvider.install(null);
    names.close();
    owners.close();
    ifPresent(operations, OperationsEndpoint::close);
    ifPresent(hook, RoutingHook::close);
    ifPresent(metrics, ProcessMetrics::close);
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2000);
    receipts.close();
    tun.close();
  }
}
