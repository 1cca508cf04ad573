package io.viaduct.snapt;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.viaduct.host.udp.UdpSettings;
import io.viaduct.service.configuration.ConfigurationKeys;
import io.viaduct.service.configuration.ConfigurationSource;
import io.viaduct.service.operations.Listening;
import io.viaduct.service.operations.OperationsEndpoint;
import io.viaduct.service.operations.OperatorAccess;
import io.viaduct.service.operations.ProcessMetrics;
import io.viaduct.service.operations.Readiness;
import io.viaduct.service.reload.ConfigurationReload;
import io.viaduct.service.storage.PrivateDirectory;
import io.viaduct.service.tls.CertificateMeters;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.ExchangeableTls;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.sip.transport.StreamClient;
import io.viaduct.snapt.SnaptConfiguration.RelayAddress;
import io.viaduct.snapt.attribution.Attribution;
import io.viaduct.snapt.binding.Arrival;
import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.binding.SessionRegistry;
import io.viaduct.snapt.clock.ConfirmedClock;
import io.viaduct.snapt.control.ControlServer;
import io.viaduct.snapt.control.ProbePage;
import io.viaduct.snapt.control.TokenKeys;
import io.viaduct.snapt.control.TokenVerifier;
import io.viaduct.snapt.control.ToldRevocations;
import io.viaduct.snapt.credit.CreditLine;
import io.viaduct.snapt.credit.FreeDestinations;
import io.viaduct.snapt.egress.Egress;
import io.viaduct.snapt.group.GroupCounts;
import io.viaduct.snapt.group.GroupSettings;
import io.viaduct.snapt.group.SnaptGroup;
import io.viaduct.snapt.metering.IntervalUsage;
import io.viaduct.snapt.napt.AddressPool;
import io.viaduct.snapt.napt.SharedAddresses;
import io.viaduct.snapt.policy.EgressPolicy;
import io.viaduct.snapt.policy.EgressRule;
import io.viaduct.snapt.policy.OwnAddresses;
import io.viaduct.snapt.relay.Relay;
import io.viaduct.snapt.relay.WarmUp;
import io.viaduct.snapt.reporting.BridgeConnection;
import io.viaduct.snapt.reporting.BridgeOrders;
import io.viaduct.snapt.reporting.GrpcReportLine;
import io.viaduct.snapt.reporting.IntervalLog;
import io.viaduct.snapt.reporting.ReceiptAsker;
import io.viaduct.snapt.reporting.Receipts;
import io.viaduct.snapt.reporting.ReportLine;
import io.viaduct.snapt.reporting.ReportSender;
import io.viaduct.snapt.reporting.ReportSigner;
import io.viaduct.snapt.reporting.ReportSpool;
import io.viaduct.snapt.reporting.SipReportLine;
import io.viaduct.snapt.reporting.StartCounter;
import io.viaduct.snapt.reporting.StateLock;
import io.viaduct.snapt.reporting.UsageReporting;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.CreditNotice;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.control.v1.IntervalBoundary;
import io.viaduct.tunnel.control.v1.LineRate;
import io.viaduct.tunnel.dictionary.ZstdBlocks;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.Ciphers;
import io.viaduct.usage.v1.DrainOrder;
import io.viaduct.usage.v1.SnaptStatusAck;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Assembles one SNAPT. Threads: one per event loop of the data path, the control thread, the checkpoint thread, the reporting thread and the operations thread.
///
///     device ══ UDP ══▶ relay ──▶ napt ──▶ egress (TUN) ──▶ Internet
///        │                └─▶ metering ─▶ reporting ══ gRPC ══▶ bridge
///        │                                  ▲ receipts
///        └─── TLS ───▶ control ─────────────┘
///                        └─▶ binding
public final class Snapt implements Relay.Listener, ReceiptAsker, AutoCloseable {
  // A busy machine goes on to warm up while devices come: they need not wait for longer.
  private static final long WARM_UP_MS = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(Snapt.class);

  static final String ATTRIBUTION = "attribution";

  private static final String TOKEN_KEYS = "token keys";
  // This is half a minute of one busy session, or a fraction of a second of ten thousand sessions.
  private static final long LOG_COMPACT_BYTES_MIN = 4 << 20;

  private final SnaptConfiguration configuration;
  private final ConfirmedClock clock = new ConfirmedClock(InstantSource.system(), System::nanoTime);
  private final Readiness readiness = new Readiness("data path", "control", TOKEN_KEYS);
  final ProcessMetrics metrics = new ProcessMetrics("snapt", Snapt.class);
  private final OperationsEndpoint operations = new OperationsEndpoint(metrics, readiness);
  private final ExchangeableTls tls;
  private final FileLock stateLock;
  private final long epoch;
  private final ReportSpool spool;
  private final IntervalLog intervals;
  private final ExecutorService checkpointThread =
      Executors.newSingleThreadExecutor(new DefaultThreadFactory("checkpoint"));
  private final UsageReporting reporting;
  private final Receipts receipts;
  private final ReportSender sender;
  private final TokenKeys tokenKeys;
  private final ToldRevocations revokedTokens;
  private final AddressPool pool;
  private final EgressPolicy policy;
  private final OwnAddresses ownAddresses;
  private final Attribution attribution;
  private final MultiThreadIoEventLoopGroup dataLoops;
  private final CreditLine credit;
  private final Relay relay;
  private final SessionRegistry registry;
  private final Renewal renewal;
  private final BridgeConnection bridge;
  private final Drains drains;
  private final OperatorAccess access;
  private @Nullable Egress egress;
  private final GroupCounts groupCounts = new GroupCounts();
  private @Nullable SnaptGroup group;
  private volatile @Nullable ControlServer control;
  private @Nullable ProbePage probePage;
  private @Nullable InetSocketAddress dataAddress;
  private @Nullable InetSocketAddress controlAddress;
  private @Nullable SnaptStatusSource status;

  /// Reads the state on disk. Traffic begins with [#start].
  ///
  /// @throws IOException if the state directory cannot be used
  public Snapt(SnaptConfiguration configuration) throws IOException {
    this.configuration = configuration;
    Path state = PrivateDirectory.make(configuration.state());
    tls = new ExchangeableTls(TlsMaterial.load(configuration.tls()));
    SnaptConfiguration.Reporting reports = configuration.reporting();
    ReportSigner signer =
        new ReportSigner(reports.reportKeyId(), Ed25519.readPair(reports.reportKey()).getPrivate());
    stateLock = StateLock.take(state.resolve("lock"));
    epoch = StartCounter.next(state.resolve("epoch"));
    spool = ReportSpool.open(state.resolve("spool"), reports.spoolReportsMax());
    intervals = IntervalLog.open(state.resolve("intervals"), LOG_COMPACT_BYTES_MIN);
    int recovered = intervals.recover(spool, signer);
    LOG.info(
        "start {}, {} reports wait, {} of them recovered from open intervals",
        epoch,
        spool.pending(),
        recovered);
    receipts = new Receipts(spool, this, reports.receiptWait(), this::settleSoon);
    sender = new ReportSender(spool, receipts, reports.window());
    reporting = new UsageReporting(spool, intervals, signer, sender, receipts, checkpointThread);
    tokenKeys = TokenKeys.open(state.resolve("token-keys"));
    revokedTokens = ToldRevocations.open(state.resolve("revocations"));
    pool = new AddressPool(configuration.pool().ipv4(), configuration.pool().ipv6());
    SnaptConfiguration.Egress out = configuration.egress();
    policy = new EgressPolicy(out.allow(), denied(), out.controlNetworks(), out.denyPrivate());
    ownAddresses =
        new OwnAddresses(
            policy, configuration.control().host(), reports.bridgeHost(), out.tun(), this::share);
    int loops = configuration.data().loops(Runtime.getRuntime().availableProcessors());
    dataLoops =
        new MultiThreadIoEventLoopGroup(
            loops, new DefaultThreadFactory("relay"), EpollIoHandler.newFactory());
    credit =
        new CreditLine(
            configuration.credit().beforeFirstAnswer(),
            new FreeDestinations(configuration.credit().reachable()));
    relay = new Relay(relaySettings(), pool, eventLoops(), System::nanoTime, clock, this);
    SnaptConfiguration.Attribution recorded = configuration.attribution();
    attribution =
        new Attribution(
            state.resolve(ATTRIBUTION), pool, recorded.retention(), recorded.bytesMax(), clock);
    registry =
        new SessionRegistry(
            configuration.sessions().max(),
            configuration.sessions().idle(),
            pool,
            attribution.of(relay),
            reporting::isFull,
            new SecureRandom());
    ManagedChannel toBridge = new SnaptTls(tls).bridge(reports);
    renewal = new Renewal(configuration, tls, toBridge, clock, metrics.registry());
    bridge =
        new BridgeConnection(
            toBridge,
            reportLine(reports, toBridge),
            Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("reporting")),
            clock,
            reporting,
            sender,
            () -> statusSource().announcement(),
            this::onTokenKeys,
            new BridgeOrders() {
              @Override
              public void onOrder(DrainOrder order) {
                drains().onOrder(order);
              }

              @Override
              public void onEnrolment(boolean isEnrolled) {
                drains().onEnrolment(isEnrolled);
              }
            },
            credit);
    drains = new Drains(this::server, clock, bridge::announceSoon, metrics.registry());
    access =
        new OperatorAccess(
            drains.actions(Drains.Way.REST),
            configuration.operations().token(),
            metrics.registry());
  }

  private ReportLine reportLine(SnaptConfiguration.Reporting reports, ManagedChannel channel) {
    SnaptConfiguration.SipWay sip = reports.sip();
    return switch (reports.transport()) {
      case GRPC -> new GrpcReportLine(channel);
      case SIP ->
          new SipReportLine(
              new SipReportLine.Settings(
                  configuration.id(),
                  sip.domain(),
                  new StreamClient.Server(
                      sip.host(),
                      sip.port(),
                      sip.tls() ? new SnaptTls(tls).sip() : null,
                      sip.domain())),
              System::nanoTime);
    };
  }

  // The kernel must know an alias before packets come with it.
  private boolean share(Set<InetAddress> addresses) {
    Egress opened = egress;
    if (opened == null || !opened.isMasquerading()) {
      return true;
    }
    SharedAddresses next = relay.shared().with(addresses);
    if (!opened.share(next)) {
      return false;
    }
    relay.share(next);
    return true;
  }

  // Devices must not reach each other through the group either.
  private List<EgressRule> denied() {
    List<EgressRule> all = new ArrayList<>(configuration.egress().deny());
    for (GroupSettings.Member each : configuration.group().members()) {
      all.add(EgressRule.of(each.pool().ipv4().toString()));
      all.add(EgressRule.of(each.pool().ipv6().toString()));
    }
    return all;
  }

  private Relay.Settings relaySettings() {
    InetSocketAddress listen =
        new InetSocketAddress(configuration.data().listen(), configuration.data().port());
    return new Relay.Settings(
        configuration.id(),
        epoch,
        configuration.metering().interval(),
        configuration.metering().lossPercentMax(),
        configuration.tunnel(),
        configuration.data().historyBudgetBytes(),
        UdpSettings.at(listen).answeringFromArrival(),
        policy,
        configuration.egress().accountBitsPerSecond(),
        credit);
  }

  private List<IoEventLoop> eventLoops() {
    List<IoEventLoop> loops = new ArrayList<>();
    dataLoops.forEach(loop -> loops.add((IoEventLoop) loop));
    return loops;
  }

  /// Opens the data path and the control port, and serves devices.
  ///
  /// @throws IOException if a resource is not available; the message names it and says what to do
  public void start() throws IOException {
    if (!configuration.owner().isEmpty()) {
      LOG.warn(
          "owner: {} has no effect any more, and the key goes with the next version: billing knows"
              + " the owner of each SNAPT ('denarii snapts')",
          configuration.owner());
    }
    operations.listen(configuration.operations().settings(), access);
    ZstdBlocks.load();
    CompletableFuture<Long> warm =
        CompletableFuture.supplyAsync(
            () -> WarmUp.run(relaySettings(), configuration.limits()),
            work -> Thread.ofPlatform().daemon().name("warm-up").start(work));
    startDataPath();
    warm.completeOnTimeout(0L, WARM_UP_MS, TimeUnit.MILLISECONDS).join();
    startControl();
    SnaptStatusSource source =
        new SnaptStatusSource(
            configuration,
            epoch,
            clock,
            registry,
            reporting,
            relay,
            server(),
            port(controlAddress),
            port(dataAddress));
    status = source;
    operations.listen(configuration.socket(), source::document, drains.actions(Drains.Way.COMMAND));
    bindMetrics();
    bridge.start(configuration.reporting().statusEvery());
    renewal.start();
    onTokenKeys(SnaptStatusAck.getDefaultInstance());
    readiness.cleared("control");
    LOG.info(
        "{} serves: control {}, data {}, AES by {}",
        configuration.id(),
        controlAddress,
        dataAddress,
        Ciphers.provider(AeadAlgorithm.AES_256_GCM));
  }

  private void startDataPath() throws IOException {
    SnaptConfiguration.Egress out = configuration.egress();
    Egress opened =
        Egress.open(
            out.tun(),
            relay.loops(),
            configuration.limits().tunMtu(),
            pool,
            out.masquerade(),
            out.forwarding(),
            out.allow().stream()
                .filter(EgressRule::namesHost)
                .map(EgressRule::network)
                .distinct()
                .toList(),
            configuration.data().port());
    egress = opened;
    ownAddresses.start();
    attribution.listen(opened.isMasquerading());
    dataAddress =
        Listening.on(
            "data.listen",
            "data.port",
            "UDP",
            configuration.data().listen(),
            configuration.data().port(),
            () -> relay.start(opened.ports(), eventLoops()));
    readiness.cleared("data path");
  }

  // Not private, like bindMetrics: a test calls only these two, because a data path needs a TUN
  // device.
  void startControl() throws IOException {
    SnaptConfiguration.Control settings = configuration.control();
    MultiThreadIoEventLoopGroup loop =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("control"), EpollIoHandler.newFactory());
    ControlServer server =
        new ControlServer(
            new ControlServer.Settings(
                configuration.id(),
                epoch,
                settings.connectionsMax(),
                settings.connectionsPerAddressMax(),
                settings.handshakeTimeout(),
                settings.keepAlive(),
                configuration.metering().interval(),
                port(dataAddress),
                settings.host(),
                configuration.region(),
                configuration.limits(),
                configuration.relays().stream().map(RelayAddress::message).toList()),
            new SnaptTls(tls).controlPort(),
            loop,
            verifier(),
            registry,
            receipts,
            clock);
    control = server;
    startGroup(server);
    controlAddress =
        Listening.on(
            "control.listen",
            "control.port",
            "TCP",
            settings.listen(),
            settings.port(),
            () -> server.start(new InetSocketAddress(settings.listen(), settings.port())));
    startProbePage(loop);
  }

  // Devices only fail to notice captive portals without it, so this SNAPT serves them all the same.
  private void startProbePage(MultiThreadIoEventLoopGroup loop) {
    SnaptConfiguration.PortalProbe settings = configuration.portalProbe();
    if (!settings.enabled()) {
      return;
    }
    ProbePage page = new ProbePage(loop);
    try {
      InetSocketAddress at =
          Listening.on(
              "portal-probe.listen",
              "portal-probe.port",
              "TCP",
              settings.listen(),
              settings.port(),
              () -> page.start(new InetSocketAddress(settings.listen(), settings.port())));
      LOG.info("devices notice captive portals by http://{}{}", at, ProbePage.PATH);
      probePage = page;
    } catch (IOException e) {
      LOG.warn("devices notice no captive portal by this SNAPT: {}", e.getMessage());
    }
  }

  private TokenVerifier verifier() {
    return new TokenVerifier(tokenKeys, revokedTokens, configuration.audience());
  }

  private void startGroup(ControlServer server) throws IOException {
    Egress opened = egress;
    if (!configuration.group().hasMembers() || opened == null) {
      return;
    }
    SnaptTls files = new SnaptTls(tls);
    SnaptGroup member =
        new SnaptGroup(
            configuration.group(),
            configuration.state().resolve("moved-addresses"),
            new GroupSettings.MemberPool(pool.ipv4(), pool.ipv6()),
            files.groupPort(),
            files.toMembers(),
            opened.routes(),
            registry,
            server,
            verifier(),
            relay,
            clock,
            groupCounts);
    group = member;
    server.drain().movedBy(member.handOvers());
    member.start();
  }

  /// Returns the reload of this SNAPT's configuration.
  ConfigurationReload<SnaptConfiguration> reload(
      ConfigurationSource<SnaptConfiguration> source, ConfigurationKeys running) {
    return new ConfigurationReload<>(
        source, running, SnaptReload.parts(this, clock), metrics.registry(), clock);
  }

  Drains drains() {
    return drains;
  }

  Renewal renewal() {
    return renewal;
  }

  ExchangeableTls tls() {
    return tls;
  }

  private static int port(@Nullable InetSocketAddress address) {
    return address == null ? 0 : address.getPort();
  }

  private ControlServer server() {
    ControlServer server = control;
    if (server == null) {
      throw new IllegalStateException("this SNAPT is starting: its control port is not open yet");
    }
    return server;
  }

  private SnaptStatusSource statusSource() {
    SnaptStatusSource source = status;
    if (source == null) {
      throw new IllegalStateException("the status for the bridge exists only after the start");
    }
    return source;
  }

  void bindMetrics() {
    SnaptMetrics meters = new SnaptMetrics(metrics.registry());
    metrics.allocatedBy(dataLoops);
    meters.relay(relay, configuration.data().historyBudgetBytes());
    ControlServer server = control;
    if (server != null) {
      meters.control(server, configuration.control().connectionsMax());
    }
    ProbePage page = probePage;
    if (page != null) {
      meters.probePage(page);
    }
    meters.sessions(registry, configuration.sessions().max());
    meters.reports(sender, reporting, configuration.reporting().spoolReportsMax());
    meters.spool(spool, clock);
    meters.clock(clock);
    meters.receipts(receipts);
    meters.credit(credit);
    meters.intervals(intervals, relay::late);
    meters.attribution(attribution);
    meters.group(groupCounts);
    CertificateMeters.bind(metrics.registry(), tls);
    meters.gauge("viaduct_token_keys", "Keys whose tokens are accepted", tokenKeys::count);
    meters.gauge(
        "viaduct_revocations",
        "Accounts and devices whose tokens are refused before their end",
        revokedTokens::count);
  }

  private void onTokenKeys(SnaptStatusAck answer) {
    clock.onBridge(answer.getNowMs());
    tokenKeys.accept(answer);
    boolean isRevoking = revokedTokens.accept(answer);
    ControlServer server = control;
    if (server != null) {
      if (isRevoking) {
        server.revoke();
      }
      server.relays().told(answer.getDirectoryList(), answer.getSignedDirectory().toByteString());
    }
    if (tokenKeys.count() > 0) {
      readiness.cleared(TOKEN_KEYS);
    } else {
      readiness.obstructed(TOKEN_KEYS, "the bridge has sent no keys yet");
    }
  }

  @Override
  public void onProgress(List<IntervalUsage> changes, Runnable taken) {
    reporting.progress(changes, taken);
  }

  @Override
  public void onInterval(IntervalUsage usage) {
    reporting.close(usage, this::settleSoon);
  }

  @Override
  public void onCredit(Session session, CreditNotice notice) {
    ControlServer server = control;
    if (server != null) {
      server
          .devices()
          .tell(
              session, Feature.CREDIT_NOTICES, ControlMessage.newBuilder().setCreditNotice(notice));
    }
  }

  @Override
  public void onLineRate(Session session, LineRate rate) {
    ControlServer server = control;
    if (server != null) {
      server
          .devices()
          .tell(session, Feature.LINE_RATES, ControlMessage.newBuilder().setLineRate(rate));
    }
  }

  @Override
  public void onBound(Session session) {
    Arrival arrival = session.arrival();
    ControlServer server = control;
    if (arrival != null && server != null) {
      server.thread().run(() -> arrival.listener().bound(session));
    }
  }

  @Override
  public void onMoved(Session session) {
    ControlServer server = control;
    if (server != null) {
      server.devices().nudge(session);
    }
  }

  private void settleSoon() {
    bridge.settleSoon();
  }

  @Override
  public void ask(
      ByteString device, String session, List<IntervalBoundary> boundaries, boolean last) {
    ControlServer server = control;
    if (server != null) {
      server.devices().ask(device, session, boundaries, last);
    }
  }

  /// Returns the address of the control port, or null before the start.
  public @Nullable InetSocketAddress controlAddress() {
    return controlAddress;
  }

  /// Stops in an order in which no usage is lost. First, readiness ends and the devices get a
  /// Goodbye. Then the last intervals are reported and spooled, and the bridge acknowledges them if
  /// it answers in time. Finally, the host's network settings are restored.
  @Override
  public void close() {
    readiness.obstructed("process", "stopping");
    if (probePage != null) {
      probePage.stop();
    }
    renewal.close();
    if (control != null) {
      control.stop();
    }
    if (group != null) {
      group.close();
    }
    relay.close();
    ownAddresses.close();
    attribution.close();
    if (egress != null) {
      egress.close();
    }
    checkpointThread.close();
    try {
      bridge.drain(configuration.reporting().drain());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    dataLoops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    operations.close();
    metrics.close();
    try {
      intervals.close();
      stateLock.channel().close();
    } catch (IOException e) {
      LOG.warn("files of the state directory: {}", e.toString());
    }
    LOG.info("stopped, {} reports wait for the next start", spool.pending());
  }
}
