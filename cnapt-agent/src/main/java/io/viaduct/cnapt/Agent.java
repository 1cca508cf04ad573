package io.viaduct.cnapt;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.viaduct.cnapt.classification.AddressRanges;
import io.viaduct.cnapt.control.ControlClient;
import io.viaduct.cnapt.control.ControlTransport;
import io.viaduct.cnapt.control.DeviceSnapts;
import io.viaduct.cnapt.control.HandshakeRace;
import io.viaduct.cnapt.control.Snapt;
import io.viaduct.cnapt.control.SnaptClaims;
import io.viaduct.cnapt.control.SnaptHandshake;
import io.viaduct.cnapt.control.SnaptOrder;
import io.viaduct.cnapt.control.SnaptWatch;
import io.viaduct.cnapt.egress.EgressRouting;
import io.viaduct.cnapt.egress.EgressStart;
import io.viaduct.cnapt.egress.ProbedNetwork;
import io.viaduct.cnapt.egress.SilentLink;
import io.viaduct.cnapt.hook.RoutingHook;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.mobility.StrayRoutes;
import io.viaduct.cnapt.naming.ApplicationResolvers;
import io.viaduct.cnapt.naming.OutsideResolver;
import io.viaduct.cnapt.naming.OutsideResolverProvider;
import io.viaduct.cnapt.naming.PortalNames;
import io.viaduct.cnapt.operations.ControlMeters;
import io.viaduct.cnapt.operations.EgressMeters;
import io.viaduct.cnapt.operations.HookMeters;
import io.viaduct.cnapt.receipts.LineReceipts;
import io.viaduct.cnapt.signalling.SessionTicket;
import io.viaduct.cnapt.snapts.SnaptTerms;
import io.viaduct.cnapt.tunnel.Admission;
import io.viaduct.cnapt.tunnel.DataPath;
import io.viaduct.cnapt.tunnel.DataPathListener;
import io.viaduct.cnapt.tunnel.EndRole;
import io.viaduct.cnapt.tunnel.LocalEnd;
import io.viaduct.cnapt.tunnel.ServiceListener;
import io.viaduct.cnapt.tunnel.TunnelEnd;
import io.viaduct.service.configuration.ConfigurationSource;
import io.viaduct.service.reload.ConfigurationReload;
import io.viaduct.tunnel.dictionary.ZstdBlocks;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.Ciphers;
import io.viaduct.tunnel.terms.TunnelTerms;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Assembles one agent. The parts call each other as follows:
///
///     token source ─ticket→ control clients ─keys→ data path ←packets→ TUN, UDP
///     data path ─counts→ receipt ledger ─receipts→ control clients
///     network watch ─moved→ data path (probe), control clients (reconnect), token source (register again)
///
/// Each SNAPT in use is a line of control client and tunnel end ([UsedSnapts]). [HostTunnel] has data
/// path and network watch, on the data loop; the control loop owns the control clients. Fields
/// shared between threads name their writer.
final class Agent implements CarryingAgent, SnaptLine.Owner, HostTunnel.Owner {
  private static final Logger LOG = LoggerFactory.getLogger(Agent.class);

  private final CnaptConfiguration configuration;
  private final AgentClock clock;
  private final AgentOperations operations;
  private final HandoverRecorder recorder;
  private final AgentLoops loops = new AgentLoops();
  private final int mark;
  private final OutsideResolver names;
  private final PortalNames portalNames;
  private final HostTunnel tunnel;
  private final StrayRoutes strays;
  private final RegistrationMoves registration;
  private final OperatorAccount account;
  private final UsedSnapts snapts;
  private final SnaptHandshake handshake;
  private final AtomicBoolean slept = new AtomicBoolean(); // and has no new token yet
  private volatile @Nullable EgressRouting routing; // written by the starting thread
  private volatile @Nullable ApplicationResolvers resolvers; // written by the starting thread
  private volatile @Nullable DataPath carrying; // written by the starting thread
  private @Nullable RoutingHook hook;

  /// Creates the TUN and the sockets. Carries no packets before [#start].
  ///
  /// @throws IOException if a resource is missing; the message names it and says what to do
  Agent(CnaptConfiguration configuration, AgentClock clock) throws IOException {
    this.configuration = configuration;
    this.clock = clock;
    this.operations = new AgentOperations(configuration);
    this.recorder = new HandoverRecorder(clock);
    this.mark = configuration.routing().enabled() ? configuration.routing().mark() : 0;
    // Created before any name look-up, because the device's routes will lead other look-ups into
    // the tunnel.
    InetSocketAddress own = configuration.portalResolver();
    List<InetAddress> inside = new ArrayList<>(configuration.resolvers());
    inside.add(own.getAddress());
    this.names =
        new OutsideResolver(loops.control(), mark, inside, clock.monotonic(), this::carriedBytes);
    this.portalNames = new PortalNames(loops.control(), own, () -> resolvers);
    OutsideResolverProvider.install(names);
    this.account = new OperatorAccount(configuration, mark, clock);
    SnaptOrder order =
        SnaptOrder.of(
            account.device().publicKey(),
            configuration.snapts().region(),
            configuration.snapts().priceWeight());
    int wanted = configuration.snapts().sessions();
    this.snapts = new UsedSnapts(lines(wanted + 1), wanted, order, account.bridge());
    this.registration = new RegistrationMoves(loops.data(), account.tokens()::networkChanged);
    LocalEnd local =
        new LocalEnd(
            new AddressRanges(configuration.tun().addresses()),
            mark,
            new EndRole.Dialling(configuration.mobility(), null, snapts::haveOthers),
            Admission.ALL);
    this.tunnel =
        new HostTunnel(configuration, recorder, clock, loops.data(), local, pathEvents(), this);
    this.carrying = tunnel.data();
    this.handshake =
        new SnaptHandshake(
            loops.control(), mark, () -> snapts.ranked(tunnel.links()), names::resolveOnce);
    this.strays = new StrayRoutes(tunnel.tunName(), configuration.followedNetworks());
    if (configuration.routing().enabled()) {
      tunnel.network().alsoTell(strays::accept);
    }
    join(new SnaptClaims(order));
  }

  private List<SnaptLine> lines(int count) {
    List<SnaptLine> lines = new ArrayList<>();
    for (int number = 0; number < count; number++) {
      lines.add(
          new SnaptLine(
              loops.data(),
              configuration.tunnel(),
              new LineReceipts(account.receipts(), number),
              clock.wall(),
              this));
    }
    return lines;
  }

  private List<DataPathListener> pathEvents() {
    return snapts.lines().stream()
        .<DataPathListener>map(line -> new PathEvents(recorder, line::control, line))
        .toList();
  }

  /// Makes the control clients of the lines, and what exchanges a SNAPT for a better one.
  private void join(SnaptClaims claims) {
    DataPath data = tunnel.data();
    snapts.join(data, (line, end) -> client(line, end, claims));
    snapts.spreadBy(claims, new SecureRandom(), loops.control());
    snapts.standInBy(new HandshakeRace(handshake, claims), claims, loops.control());
    data.tell(new Service());
    if (configuration.snapts().sessions() > 1) {
      SnaptWatch watch = new SnaptWatch(handshake, this::carriedBytes, claims);
      claims.measuredBy(watch);
      snapts.measuredBy(watch, clock.monotonic());
    }
  }

  // Names are looked up before there is a data path.
  private long carriedBytes() {
    DataPath data = carrying;
    return data == null ? 0 : data.carried().preBytes();
  }

  private final class Service implements ServiceListener {
    @Override
    public void serviceChanged() {
      loops.control().execute(snapts::look);
    }

    @Override
    public void unserved() {
      loops.control().execute(snapts::unserved);
    }
  }

  private ControlClient client(SnaptLine line, TunnelEnd end, SnaptClaims claims) {
    return new ControlClient(
        new ControlTransport(
            loops.control(), account.authorities(), mark, () -> end.ranked(tunnel.links())),
        configuration.control(),
        account.device(),
        configuration.greeting(tunnel.classifier().names()),
        new DeviceSnapts(configuration.snapt(), claims, account.bridge()),
        line.receipts(),
        new SecureRandom(),
        line);
  }

  @Override
  public void start() throws IOException {
    LOG.info("AES-256-GCM by {}", Ciphers.provider(AeadAlgorithm.AES_256_GCM));
    EgressRouting routes = lead();
    resolvers =
        ApplicationResolvers.set(configuration.dns(), tunnel.tunName(), configuration.state());
    tunnel.start();
    watchReach(new ReachWatch(snapts::reach, routes::carries));
    hook = openHook();
    operations.measure(loops.data(), meters());
    operations.serve(
        new AgentStatusSource(tunnel, routes, snapts, account, strays)::status,
        OutsideGroup.with(tunnel.actions(), routes.processes()));
  }

  /// Leads the traffic of this host into the tunnel, while the token source starts.
  private EgressRouting lead() throws IOException {
    EgressStart leading =
        new EgressStart(
            configuration.tun(),
            tunnel.tunName(),
            configuration.limits().tunMtu(),
            configuration.routing(),
            configuration.resolvers(),
            configuration.splitTunnel());
    account.start(this::ticket);
    EgressRouting routes = leading.await();
    routing = routes;
    routes.guard(configuration.tun(), configuration.outage(), tunnel.classifier());
    routes.watchPortal(
        configuration.portal(),
        new Surroundings(),
        loops.control(),
        portalNames,
        snapts::networkChanged);
    if (snapts.peer() != null) {
      routes.carries(true); // the Welcome came before the guard
    }
    return routes;
  }

  private final class Surroundings implements ProbedNetwork {
    @Override
    public List<String> snapts() {
      List<String> hosts = new ArrayList<>(snapts.hosts());
      String first = configuration.snapt().host();
      if (!first.isEmpty() && !hosts.contains(first)) {
        hosts.addFirst(first);
      }
      return hosts;
    }

    @Override
    public List<SilentLink> silentLinks() {
      return tunnel.silentLinks();
    }
  }

  private void watchReach(ReachWatch reach) {
    var unused =
        loops
            .data()
            .scheduleWithFixedDelay(
                reach::look, ReachWatch.PERIOD_MS, ReachWatch.PERIOD_MS, TimeUnit.MILLISECONDS);
  }

  private @Nullable RoutingHook openHook() throws IOException {
    Optional<Path> socket = configuration.routingHook().socket();
    return socket.isEmpty()
        ? null
        : FlowHook.open(socket.get(), tunnel.data().events(), clock.wall());
  }

  private List<MeterBinder> meters() {
    List<MeterBinder> meters = new ArrayList<>(tunnel.meters());
    meters.addAll(account.meters());
    meters.add(new ControlMeters(snapts.clients()));
    meters.add(new EgressMeters(strays, portalNames));
    if (hook != null) {
      meters.add(new HookMeters(hook));
    }
    return meters;
  }

  @Override
  public LiveChanges changes() {
    return tunnel.changes();
  }

  @Override
  public ConfigurationReload<CnaptConfiguration> reload(
      ConfigurationSource<CnaptConfiguration> source) {
    return operations.reload(source, AgentReload.parts(this), clock.wall());
  }

  Runnable trust(Path trust) {
    return account.authorities().prepare(trust);
  }

  // --- the token

  private void ticket(SessionTicket ticket) {
    handshake.granted(ticket.addresses());
    snapts.present(ticket);
    if (slept.getAndSet(false)) {
      snapts.networkChanged();
    }
  }

  @Override
  public void tokenRefused(String detail) {
    LOG.warn("the SNAPT refuses the token: {}", detail);
    account.tokens().renew();
  }

  // --- the SNAPTs in use

  @Override
  public void welcomed(SnaptLine by, @Nullable TunnelTerms fresh) {
    account.tokens().tunnel(true);
    operations.sessionBegun();
    carries(by);
    if (fresh != null) {
      EarlyStart.beside("codec-start", ZstdBlocks::load);
      ifPresent(routing, routes -> routes.fit(snapts.tunMtu()));
    }
  }

  private void carries(SnaptLine line) {
    snapts.alive(line, true);
    ifPresent(routing, routes -> routes.carries(true));
  }

  private static <T> void ifPresent(@Nullable T part, Consumer<T> action) {
    if (part != null) {
      action.accept(part);
    }
  }

  @Override
  public void connected() {
    tunnel.network().look();
  }

  @Override
  public void lost(SnaptLine by) {
    if (!snapts.isConnected()) {
      account.tokens().tunnel(false);
    }
    snapts.lost(by);
  }

  @Override
  public boolean carriesBeside(SnaptLine line) {
    return snapts.carryBeside(line);
  }

  @Override
  public boolean sharesSnapt(SnaptLine line) {
    return snapts.share(line);
  }

  @Override
  public boolean isSurplus(SnaptLine line) {
    return snapts.isSurplus(line);
  }

  @Override
  public void slept(SnaptLine by) {
    snapts.slept(by);
  }

  @Override
  public void rested(SnaptLine by) {
    snapts.alive(by, false);
    ifPresent(routing, routes -> routes.fit(snapts.tunMtu()));
  }

  @Override
  public SnaptTerms termsOf(SnaptLine line) {
    return snapts.termsOf(line);
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
  public void pathFound(SnaptLine by) {
    snapts.inform(by);
    carries(by);
  }

  @Override
  public void pathDead(SnaptLine by) {
    if (snapts.alive(by, false)) {
      LOG.warn("nothing arrives from {}: new flows take another SNAPT", by.end().name());
      return; // the network is not the cause
    }
    ifPresent(routing, routes -> routes.carries(false));
    String here = tunnel.network().described();
    LOG.warn("the path to the SNAPT is dead although the link is up: {}", here);
    recorder.pathDead(here);
    account.tokens().networkChanged();
  }

  // --- the network

  @Override
  public @Nullable InetSocketAddress peer() {
    return snapts.peer();
  }

  @Override
  public void linksChanged(List<UsableLink> now) {
    snapts.linksChanged(now);
  }

  @Override
  public void moved(String from, String to) {
    names.networkChanged();
    ifPresent(resolvers, ApplicationResolvers::networkChanged);
    if (tunnel.links().isEmpty()) {
      snapts.networkChanged(); // otherwise the connection follows its link
    }
    registration.moved(from, to);
  }

  // The token has probably expired, and SIP's timers stood still. The SNAPT may wait many seconds
  // before it repeats what it sent to the sleeping device by the control connection, for example
  // the receipts to sign before it takes a new token. So the new token goes by a new connection.
  @Override
  public void woken(long sleptMs) {
    LOG.info("awake after {} s: probing, and asking the bridge for a new token", sleptMs / 1_000);
    slept.set(true);
    account.tokens().networkChanged();
  }

  /// Stops cleanly. Sends the packets that were read, signs the last interval, and ends the session
  /// at the SNAPT and the bridge. Removes rules, routes and TUN.
  @Override
  public void close() {
    operations.stopping();
    ifPresent(resolvers, ApplicationResolvers::close);
    ifPresent(routing, EgressRouting::close);
    tunnel.stop();
    snapts.close("the agent stops");
    account.stop();
    OutsideResolverProvider.install(null);
    names.close();
    ifPresent(hook, RoutingHook::close);
    operations.close();
    loops.close();
    account.close();
    tunnel.close();
  }
}
