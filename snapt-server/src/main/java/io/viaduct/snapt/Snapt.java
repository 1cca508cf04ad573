package io.viaduct.snapt;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.viaduct.host.netlink.ConntrackMonitor;
import io.viaduct.host.udp.UdpSettings;
import io.viaduct.service.operations.OperationsEndpoint;
import io.viaduct.service.operations.ProcessMetrics;
import io.viaduct.service.operations.Readiness;
import io.viaduct.service.storage.PrivateDirectory;
import io.viaduct.service.tls.CertificateMeters;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.snapt.attribution.AttributedCarrier;
import io.viaduct.snapt.attribution.AttributionLog;
import io.viaduct.snapt.binding.SessionRegistry;
import io.viaduct.snapt.control.ControlServer;
import io.viaduct.snapt.control.TokenKeys;
import io.viaduct.snapt.control.TokenVerifier;
import io.viaduct.snapt.egress.Egress;
import io.viaduct.snapt.metering.IntervalUsage;
import io.viaduct.snapt.napt.AddressPool;
import io.viaduct.snapt.policy.EgressPolicy;
import io.viaduct.snapt.policy.EgressRule;
import io.viaduct.snapt.policy.OwnAddresses;
import io.viaduct.snapt.relay.Relay;
import io.viaduct.snapt.reporting.BridgeConnection;
import io.viaduct.snapt.reporting.IntervalLog;
import io.viaduct.snapt.reporting.ReceiptAsker;
import io.viaduct.snapt.reporting.Receipts;
import io.viaduct.snapt.reporting.ReportSender;
import io.viaduct.snapt.reporting.ReportSigner;
import io.viaduct.snapt.reporting.ReportSpool;
import io.viaduct.snapt.reporting.StartCounter;
import io.viaduct.snapt.reporting.UsageReporting;
import io.viaduct.tunnel.control.ControlFrame;
import io.viaduct.tunnel.control.v1.IntervalBoundary;
import io.viaduct.tunnel.history.ZstdBlocks;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.Ciphers;
import io.viaduct.usage.v1.SnaptStatusAck;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One SNAPT, put together. Threads: one per event loop of the data path, the control thread, the
/// checkpoint thread, the reporting thread, the operations thread.
///
///     device ══ UDP ══▶ relay ──▶ napt ──▶ egress (TUN) ──▶ Internet
///        │                └─▶ metering ─▶ reporting ══ gRPC ══▶ bridge
///        │                                  ▲ receipts
///        └─── TLS ───▶ control ─────────────┘
///                        └─▶ binding
public final class Snapt implements Relay.Listener, ReceiptAsker, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Snapt.class);

  /// Folder of the state directory.
  static final String ATTRIBUTION = "attribution";

  private static final String TOKEN_KEYS = "token keys";
  // Half a minute of one busy session, a fraction of a second of ten thousand.
  private static final long LOG_COMPACT_BYTES_MIN = 4 << 20;

  private final SnaptConfiguration configuration;
  private final InstantSource clock = InstantSource.system();
  private final Readiness readiness = new Readiness("data path", "control", TOKEN_KEYS);
  final ProcessMetrics metrics = new ProcessMetrics("snapt", Snapt.class);
  private final OperationsEndpoint operations = new OperationsEndpoint(metrics, readiness);
  private final TlsMaterial tls;
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
  private final AddressPool pool;
  private final EgressPolicy policy;
  private final OwnAddresses ownAddresses;
  private final @Nullable AttributionLog attribution;
  private final ExecutorService attributionThread =
      Executors.newSingleThreadExecutor(new DefaultThreadFactory("attribution"));
  private @Nullable ConntrackMonitor conntrack;
  private final MultiThreadIoEventLoopGroup dataLoops;
  private final Relay relay;
  private final SessionRegistry registry;
  private final BridgeConnection bridge;
  private @Nullable Egress egress;
  private volatile @Nullable ControlServer control;
  private @Nullable InetSocketAddress dataAddress;
  private @Nullable InetSocketAddress controlAddress;
  private @Nullable SnaptStatusSource status;

  /// Reads the state on disk; starts no traffic.
  ///
  /// @throws IOException if the state directory cannot be used
  public Snapt(SnaptConfiguration configuration) throws IOException {
    this.configuration = configuration;
    Path state = PrivateDirectory.make(configuration.state());
    tls = TlsMaterial.load(configuration.tls());
    SnaptConfiguration.Reporting reports = configuration.reporting();
    ReportSigner signer =
        new ReportSigner(reports.reportKeyId(), Ed25519.readPair(reports.reportKey()).getPrivate());
    stateLock = lock(state.resolve("lock"));
    epoch = StartCounter.next(state.resolve("epoch"));
    spool = ReportSpool.open(state.resolve("spool"), reports.spoolReportsMax());
    intervals = IntervalLog.open(state.resolve("intervals"), LOG_COMPACT_BYTES_MIN);
    int recovered = intervals.recover(spool, signer);
    log.info(
        "start {}, {} reports wait, {} of them recovered from open intervals",
        epoch,
        spool.pending(),
        recovered);
    receipts = new Receipts(spool, this, reports.receiptWait(), this::settleSoon);
    sender = new ReportSender(spool, receipts, reports.window());
    reporting = new UsageReporting(spool, intervals, signer, sender, receipts, checkpointThread);
    tokenKeys = TokenKeys.open(state.resolve("token-keys"));
    pool = new AddressPool(configuration.pool().ipv4(), configuration.pool().ipv6());
    SnaptConfiguration.Egress out = configuration.egress();
    policy = new EgressPolicy(out.allow(), out.deny(), out.controlNetworks(), out.denyPrivate());
    ownAddresses = new OwnAddresses(policy, configuration.control().host(), reports.bridgeHost());
    int loops = configuration.data().loops(Runtime.getRuntime().availableProcessors());
    dataLoops =
        new MultiThreadIoEventLoopGroup(
            loops, new DefaultThreadFactory("relay"), EpollIoHandler.newFactory());
    relay = new Relay(relaySettings(), pool, eventLoops(), System::nanoTime, clock, this);
    SnaptConfiguration.Attribution recorded = configuration.attribution();
    attribution =
        recorded.retention().isZero()
            ? null
            : new AttributionLog(
                state.resolve(ATTRIBUTION), pool, recorded.retention(), recorded.bytesMax(), clock);
    registry =
        new SessionRegistry(
            configuration.sessions().max(),
            configuration.sessions().idle(),
            pool,
            attribution == null
                ? relay
                : new AttributedCarrier(relay, attribution, attributionThread),
            reporting::full,
            new SecureRandom());
    bridge =
        new BridgeConnection(
            channel(),
            Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("reporting")),
            clock,
            reporting,
            sender,
            () -> statusSource().announcement(),
            this::onTokenKeys);
  }

  private static FileLock lock(Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock lock = channel.tryLock();
    if (lock == null) {
      channel.close();
      throw new IOException(file + ": another SNAPT uses this state directory: give each its own");
    }
    return lock;
  }

  private Relay.Settings relaySettings() {
    InetSocketAddress listen =
        new InetSocketAddress(configuration.data().listen(), configuration.data().port());
    return new Relay.Settings(
        configuration.id(),
        epoch,
        configuration.metering().interval(),
        configuration.tunnel(),
        configuration.data().historyBudgetBytes(),
        UdpSettings.at(listen),
        policy,
        configuration.egress().accountBitsPerSecond());
  }

  private List<IoEventLoop> eventLoops() {
    List<IoEventLoop> loops = new ArrayList<>();
    dataLoops.forEach(loop -> loops.add((IoEventLoop) loop));
    return loops;
  }

  private ManagedChannel channel() {
    try {
      SslContext context = GrpcSslContexts.configure(tls.clientBuilder(), SslProvider.JDK).build();
      SnaptConfiguration.Reporting reports = configuration.reporting();
      return NettyChannelBuilder.forAddress(reports.bridgeHost(), reports.bridgePort())
          .sslContext(context)
          .keepAliveTime(20, TimeUnit.SECONDS)
          .build();
    } catch (SSLException e) {
      throw new IllegalStateException("checked TLS material refused by gRPC", e);
    }
  }

  /// Begins to serve.
  ///
  /// @throws IOException naming what cannot be had and what to do
  public void start() throws IOException {
    operations.listen(configuration.operations());
    ZstdBlocks.load();
    startDataPath();
    startControl();
    SnaptStatusSource source =
        new SnaptStatusSource(
            configuration,
            epoch,
            clock,
            registry,
            reporting,
            relay,
            port(controlAddress),
            port(dataAddress));
    status = source;
    operations.listen(configuration.socket(), source::document);
    bindMetrics();
    bridge.start(configuration.reporting().statusEvery());
    onTokenKeys(SnaptStatusAck.getDefaultInstance());
    readiness.cleared("control");
    log.info(
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
                .toList());
    egress = opened;
    ownAddresses.start();
    record(opened.masquerading());
    dataAddress = relay.start(opened.ports(), eventLoops());
    readiness.cleared("data path");
  }

  // Without masquerading the pool's addresses are what others see, and sessions alone tell.
  private void record(boolean masquerading) {
    AttributionLog to = attribution;
    if (to == null || !masquerading) {
      return;
    }
    try {
      conntrack = ConntrackMonitor.start(to::mapped, to::tick);
    } catch (IOException e) {
      log.error(
          "public addresses and ports are not recorded: {}: set attribution.retention to 0s if that"
              + " is meant",
          String.valueOf(e.getMessage()));
    }
  }

  // Not private, nor is bindMetrics: a test does these two alone, a data path needs a TUN device.
  void startControl() throws IOException {
    SnaptConfiguration.Control settings = configuration.control();
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
                configuration.limits(),
                relays()),
            serverContext(),
            new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("control"), EpollIoHandler.newFactory()),
            new TokenVerifier(tokenKeys, configuration.audience()),
            registry,
            receipts,
            clock);
    control = server;
    controlAddress = server.start(new InetSocketAddress(settings.listen(), settings.port()));
  }

  private SslContext serverContext() {
    try {
      return tls.serverBuilder(ClientAuth.NONE)
          .applicationProtocolConfig(
              new ApplicationProtocolConfig(
                  ApplicationProtocolConfig.Protocol.ALPN,
                  ApplicationProtocolConfig.SelectorFailureBehavior.FATAL_ALERT,
                  ApplicationProtocolConfig.SelectedListenerFailureBehavior.FATAL_ALERT,
                  ControlFrame.ALPN))
          .build();
    } catch (SSLException e) {
      throw new IllegalStateException("checked TLS material refused by the JDK", e);
    }
  }

  private List<io.viaduct.tunnel.control.v1.Relay> relays() {
    return configuration.relays().stream()
        .map(other ->
            io.viaduct.tunnel.control.v1.Relay.newBuilder()
                .setSnaptId(other.id())
                .setHost(other.host())
                .setControlPort(other.controlPort())
                .setDataPort(other.dataPort())
                .setRegion(other.region())
                .build())
        .toList();
  }

  private static int port(@Nullable InetSocketAddress address) {
    return address == null ? 0 : address.getPort();
  }

  private SnaptStatusSource statusSource() {
    SnaptStatusSource source = status;
    if (source == null) {
      throw new IllegalStateException("the bridge is told only after the start");
    }
    return source;
  }

  void bindMetrics() {
    SnaptMetrics meters = new SnaptMetrics(metrics.registry());
    metrics.allocatedBy(dataLoops);
    meters.traffic(relay.counters());
    meters.histories(relay.histories());
    meters.gauge(
        "viaduct.timer.lateness.seconds",
        "What 98 of 100 timers of the slowest event loop are late at most",
        relay::timerLateness);
    ControlServer server = control;
    if (server != null) {
      server
          .ends()
          .bind(
              metrics.registry(),
              "viaduct.control.ends",
              "reason",
              "Why control connections ended");
      server
          .refusals()
          .bind(metrics.registry(), "viaduct.control.refusals", "code", "Refusals sent");
      server
          .receiptOutcomes()
          .bind(metrics.registry(), "viaduct.receipts", "outcome", "Boundaries that were answered");
      meters.gauge("viaduct.control.connections", "Open connections", server::connections);
      meters.gauge(
          "viaduct.control.connections.max",
          "Most connections that may be open: control.connections-max",
          configuration.control()::connectionsMax);
    }
    registry
        .ends()
        .bind(metrics.registry(), "viaduct.session.ends", "reason", "Why sessions ended");
    sender
        .verdicts()
        .bind(metrics.registry(), "viaduct.reports.answered", "verdict", "The bridge's answers");
    meters.counter(
        "viaduct.reports.answers.unknown", "Answers to no report", sender.unknownAnswers()::sum);
    meters.receipts(receipts);
    meters.counter("viaduct.spool.failures", "Refusals of the disk", reporting.diskFailures()::sum);
    meters.counter("viaduct.intervals.torn", "Torn tails", intervals.tornTails()::sum);
    meters.counter("viaduct.intervals.compactions", "Log rewrites", intervals.compactions()::sum);
    meters.gauge("viaduct.intervals.open", "Open intervals in the log", intervals::size);
    meters.gauge("viaduct.intervals.bytes", "Bytes of the log of open intervals", intervals::bytes);
    meters.counter("viaduct.intervals.late", "Sessions whose checkpoint had to wait", relay::late);
    AttributionLog recorded = attribution;
    meters.counter(
        "viaduct.attribution.records",
        "Records of sessions and connections with their public addresses",
        () -> recorded == null ? 0 : recorded.records());
    meters.counter(
        "viaduct.attribution.lost",
        "Records that the disk did not take, and times that the kernel dropped some",
        () -> (recorded == null ? 0 : recorded.lost()) + overruns());
    meters.gauge("viaduct.sessions", "Open sessions", registry::size);
    meters.gauge(
        "viaduct.sessions.max",
        "Most sessions that may be open: sessions.max",
        configuration.sessions()::max);
    meters.gauge("viaduct.reports.pending", "Reports not acknowledged", reporting::pending);
    meters.gauge(
        "viaduct.reports.pending.max",
        "Pending reports above which new sessions are refused: reporting.spool-reports-max",
        configuration.reporting()::spoolReportsMax);
    meters.gauge(
        "viaduct.reports.pending.oldest.seconds",
        "Age of the oldest report on disk, from the end of its interval; 0 without one",
        () -> spool.oldestSeconds(clock.millis()));
    meters.gauge(
        "viaduct.history.bytes.max",
        "Heap and native memory that histories may hold: data.history-budget-bytes of each loop",
        () -> (long) configuration.data().historyBudgetBytes() * relay.histories().size());
    CertificateMeters.bind(metrics.registry(), () -> tls);
    meters.gauge("viaduct.spool.bytes", "Bytes of waiting reports", spool::pendingBytes);
    meters.gauge("viaduct.token.keys", "Keys whose tokens are accepted", tokenKeys::count);
  }

  private long overruns() {
    ConntrackMonitor heard = conntrack;
    return heard == null ? 0 : heard.overruns();
  }

  private void onTokenKeys(SnaptStatusAck answer) {
    tokenKeys.accept(answer);
    if (tokenKeys.count() > 0) {
      readiness.cleared(TOKEN_KEYS);
    } else {
      readiness.obstructed(TOKEN_KEYS, "the bridge has not told any yet");
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

  private void settleSoon() {
    bridge.settleSoon();
  }

  @Override
  public void ask(
      ByteString device, String session, List<IntervalBoundary> boundaries, boolean last) {
    ControlServer server = control;
    if (server != null) {
      server.ask(device, session, boundaries, last);
    }
  }

  /// Where control connections arrive, once started.
  public @Nullable InetSocketAddress controlAddress() {
    return controlAddress;
  }

  /// A clean stop, in the order in which nothing is lost: readiness falls, devices are told, the
  /// last intervals are reported, spooled and, if the bridge answers in time, acknowledged; then
  /// the machine is as it was.
  @Override
  public void close() {
    readiness.obstructed("process", "stopping");
    if (control != null) {
      control.drain();
    }
    relay.close();
    ownAddresses.close();
    attributionThread.close();
    if (conntrack != null) {
      conntrack.close();
    }
    if (attribution != null) {
      attribution.close();
    }
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
      log.warn("files of the state directory: {}", e.toString());
    }
    log.info("stopped, {} reports wait for the next start", spool.pending());
  }
}
