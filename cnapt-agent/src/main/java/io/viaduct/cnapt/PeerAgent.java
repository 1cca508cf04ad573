package io.viaduct.cnapt;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.viaduct.cnapt.classification.AddressRanges;
import io.viaduct.cnapt.classification.Applications;
import io.viaduct.cnapt.classification.Classifier;
import io.viaduct.cnapt.classification.OwnerLookup;
import io.viaduct.cnapt.control.BridgeDirectory;
import io.viaduct.cnapt.control.ControlClient;
import io.viaduct.cnapt.control.ControlFailure;
import io.viaduct.cnapt.control.ControlListener;
import io.viaduct.cnapt.control.ControlTransport;
import io.viaduct.cnapt.control.DeviceIdentity;
import io.viaduct.cnapt.control.DeviceSnapts;
import io.viaduct.cnapt.control.Snapt;
import io.viaduct.cnapt.control.SnaptClaims;
import io.viaduct.cnapt.control.SnaptSettings;
import io.viaduct.cnapt.control.Welcomed;
import io.viaduct.cnapt.egress.EgressRouting;
import io.viaduct.cnapt.links.LinkMonitor;
import io.viaduct.cnapt.links.LinkRules;
import io.viaduct.cnapt.links.Remotes;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.mobility.CarrierLog;
import io.viaduct.cnapt.mobility.Handover;
import io.viaduct.cnapt.mobility.HandoverLog;
import io.viaduct.cnapt.mobility.NetworkWatch;
import io.viaduct.cnapt.mobility.SleepWatch;
import io.viaduct.cnapt.operations.AgentStatus;
import io.viaduct.cnapt.operations.ControlMeters;
import io.viaduct.cnapt.operations.MobilityMeters;
import io.viaduct.cnapt.operations.PathMeters;
import io.viaduct.cnapt.operations.PeerMeters;
import io.viaduct.cnapt.operations.TunnelMeters;
import io.viaduct.cnapt.peer.Accepted;
import io.viaduct.cnapt.peer.PeerListener;
import io.viaduct.cnapt.peer.PeerServer;
import io.viaduct.cnapt.peer.PeerSettings;
import io.viaduct.cnapt.peer.PeerSources;
import io.viaduct.cnapt.policy.Policy;
import io.viaduct.cnapt.snapts.SnaptChoice;
import io.viaduct.cnapt.tunnel.DataPath;
import io.viaduct.cnapt.tunnel.DataPathListener;
import io.viaduct.cnapt.tunnel.DataStatus;
import io.viaduct.cnapt.tunnel.EndRole;
import io.viaduct.cnapt.tunnel.LeftPath;
import io.viaduct.cnapt.tunnel.Measuring;
import io.viaduct.cnapt.tunnel.SessionParameters;
import io.viaduct.host.tun.TunDevice;
import io.viaduct.host.tun.TunSettings;
import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.service.configuration.ConfigurationKeys;
import io.viaduct.service.configuration.ConfigurationSource;
import io.viaduct.service.operations.OperationsEndpoint;
import io.viaduct.service.operations.ProcessMetrics;
import io.viaduct.service.operations.Readiness;
import io.viaduct.service.reload.ConfigurationReload;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.PinnedKey;
import io.viaduct.tunnel.control.v1.CreditNotice;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.Ciphers;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.terms.TunnelTerms;
import java.io.IOException;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Assembles the agent of one end of a tunnel to a peer (docs/peers.md): no SNAPT, no operator, no
/// bill. The parts call each other as follows:
///
///     control client or peer server ─keys→ data path ←packets→ TUN, UDP
///     network watch ─moved→ data path, control client
///
/// Two event loops: `data` owns data path and network watch, `control` owns the control connection.
/// Fields shared between threads name their writer.
final class PeerAgent
    implements CarryingAgent,
        ControlListener,
        PeerListener,
        DataPathListener,
        NetworkWatch.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(PeerAgent.class);
  private static final String SESSION = "session";
  private static final int UNMARKED = 0; // no rule leads the host's traffic into the tunnel
  private static final byte[] NO_TOKEN = {};

  private final CnaptConfiguration configuration;
  private final PeerSettings peer;
  private final InstantSource clock;
  private final LongSupplier nanoTime;
  private final long startedNs;
  private final DeviceIdentity identity;
  private final PeerState state;
  private final Readiness readiness = new Readiness(SESSION);
  private final HandoverLog handovers = new HandoverLog();
  private final CarrierLog carriers;
  private final OwnerLookup owners = new OwnerLookup();
  private final TunnelLimits limits;
  private final MultiThreadIoEventLoopGroup loops;
  private final IoEventLoop dataLoop;
  private final EventLoop controlLoop;
  private final Classifier classifier; // the table at the start
  private final PeerSources sources;
  private final TunDevice tun;
  private final DataPath data;
  private final NetworkWatch network;
  private final @Nullable ControlClient client; // at the end that dials
  private final @Nullable PeerServer server; // at the end that listens
  private volatile @Nullable EgressRouting routing; // written by the starting thread
  private @Nullable ProcessMetrics metrics;
  private @Nullable OperationsEndpoint operations;

  /// Creates the TUN and the sockets. Carries no packets before [#start].
  ///
  /// @throws IOException if a resource is missing; the message names it and says what to do
  PeerAgent(CnaptConfiguration configuration, InstantSource clock, LongSupplier nanoTime)
      throws IOException {
    this.configuration = configuration;
    this.peer = configuration.peer();
    this.clock = clock;
    this.nanoTime = nanoTime;
    this.startedNs = nanoTime.getAsLong();
    this.carriers = new CarrierLog(clock);
    this.state = new PeerState("peer " + peer.key());
    checkKeys(configuration);
    this.identity = DeviceIdentity.read(configuration.deviceKey());
    this.loops =
        new MultiThreadIoEventLoopGroup(
            2, new DefaultThreadFactory("cnapt", true), EpollIoHandler.newFactory());
    this.dataLoop = loops.next();
    this.controlLoop = loops.next();
    this.limits = configuration.limits();
    this.classifier = Applications.classifier(configuration.applications());
    this.sources = new PeerSources(peer.prefixes());
    Policy policy = AgentReload.policy("", configuration, classifier);
    this.tun = TunDevice.open(new TunSettings(configuration.tun().name(), 1));
    this.data =
        new DataPath(
            dataLoop,
            nanoTime,
            tun.queues().getFirst(),
            AddressRanges.ALL,
            UNMARKED,
            classifier,
            policy,
            owners,
            role(configuration),
            sources,
            new SnaptChoice(configuration.snapts()),
            List.of(this));
    LinkMonitor links =
        new LinkMonitor(
            dataLoop, LinkRules.of(configuration.links()), data.links(), this::linksChanged);
    this.network = new NetworkWatch(dataLoop, tun.name(), UNMARKED, state::remote, this, links);
    this.client = peer.dials() ? dialling() : null;
    this.server = peer.dials() ? null : answering();
  }

  /// Checks that a configuration with a peer names two different keys.
  ///
  /// @throws ConfigurationException naming the key and what to do
  static void checkKeys(CnaptConfiguration configuration) {
    byte[] own = DeviceIdentity.read(configuration.deviceKey()).publicKey();
    if (configuration.peer().enabled() && Arrays.equals(own, configuration.peer().rawKey())) {
      throw new ConfigurationException(
          "peer.key: '%s' is the key of this end, in %s: give the key of the other end, and a key of its own to each end (cnapt keygen)"
              .formatted(configuration.peer().key(), configuration.deviceKey()));
    }
  }

  private static EndRole role(CnaptConfiguration configuration) {
    PeerSettings peer = configuration.peer();
    return peer.dials()
        ? new EndRole.Dialling(
            configuration.mobility(), new Measuring(peer.probe(), peer.watchdog()))
        : new EndRole.Answering(peer.addresses(), peer.watchdog());
  }

  private ControlClient dialling() {
    String host = peer.remotes().getFirst().getHostAddress();
    SslContext tls = PinnedKey.client(peer.rawKey());
    return new ControlClient(
        new ControlTransport(
            controlLoop,
            () -> tls,
            UNMARKED,
            () -> data.first().ranked(network.links().links())),
        configuration.control(),
        identity,
        configuration.greeting(classifier.names()),
        new DeviceSnapts(
            new SnaptSettings(host, peer.port(), ""),
            new SnaptClaims(),
            new BridgeDirectory(System::nanoTime)),
        null,
        new SecureRandom(),
        this);
  }

  private PeerServer answering() {
    return new PeerServer(
        controlLoop,
        Ed25519.readPair(configuration.deviceKey()),
        peer.rawKey(),
        limits,
        (int) configuration.control().connectTimeout().toMillis(),
        clock,
        this);
  }

  @Override
  public void start() throws IOException {
    LOG.info("AES-256-GCM by {}", Ciphers.provider(AeadAlgorithm.AES_256_GCM));
    LOG.info("key {}, peer {}", PinnedKey.text(identity.publicKey()), peer.key());
    EgressRouting routes =
        EgressRouting.towards(
            configuration.tun(),
            tun.name(),
            limits.tunMtu(),
            configuration.routing(),
            peer.prefixes());
    routing = routes;
    network.start();
    SleepWatch sleep = new SleepWatch(clock.millis(), nanoTime.getAsLong());
    var unused =
        dataLoop.scheduleWithFixedDelay(
            () -> woken(sleep.tick(clock.millis(), nanoTime.getAsLong())),
            SleepWatch.PERIOD_MS,
            SleepWatch.PERIOD_MS,
            TimeUnit.MILLISECONDS);
    PeerServer listening = server;
    if (listening != null) {
      listening.start(peer.addresses(), data.listensAt());
    }
    ControlClient calling = client;
    if (calling != null) {
      List<InetAddress> remotes = peer.remotes();
      calling.present(NO_TOKEN, List.of(), Map.of(remotes.getFirst().getHostAddress(), remotes));
    }
    ProcessMetrics meters = new ProcessMetrics("cnapt", PeerAgent.class);
    metrics = meters;
    meters.allocatedBy(List.of(dataLoop));
    List<MeterBinder> own = new ArrayList<>();
    own.add(new TunnelMeters(data.carried(), data.counters(), owners));
    own.add(new PathMeters(1, data.counters()));
    own.add(new MobilityMeters(handovers, carriers));
    own.add(new PeerMeters(data.counters(), sources));
    if (listening != null) {
      own.add(new PeerMeters.Listening(listening));
    }
    if (calling != null) {
      own.add(new ControlMeters(List.of(calling)));
    }
    own.forEach(each -> each.bindTo(meters.registry()));
    OperationsEndpoint endpoint = new OperationsEndpoint(meters, readiness);
    operations = endpoint;
    endpoint.listen(configuration.operations());
    endpoint.listen(
        configuration.statusSocket(), () -> status(routes), FlowQuestions.actions(dataLoop, data));
  }

  private void woken(long sleptMs) {
    if (sleptMs > 0) {
      LOG.info("awake after {} s: probing", sleptMs / 1_000);
      data.awake();
    }
  }

  private AgentStatus status(EgressRouting routes) {
    DataStatus snapshot = dataLoop.submit(data::status).syncUninterruptibly().getNow();
    List<String> reasons = state.reasons(snapshot, data.counters().refusedPairs());
    return new AgentStatus(
        state.word(reasons),
        reasons,
        ProcessMetrics.versionOf(PeerAgent.class),
        ProcessHandle.current().pid(),
        (nanoTime.getAsLong() - startedNs) / 1_000_000,
        new AgentStatus.TunStatus(
            tun.name(), configuration.tun().ipv4(), configuration.tun().ipv6(), routes.mtu()),
        state.session(),
        List.of(),
        List.of(),
        state.control(),
        null,
        null,
        new AgentStatus.PeerStatus(
            peer.dials() ? "dials" : "listens",
            PinnedKey.text(identity.publicKey()),
            peer.key(),
            peer.dials() ? peer.dial() : peer.listen(),
            peer.prefixes().stream().map(Object::toString).toList(),
            data.counters().watchdogs(),
            sources.refused(),
            server == null ? Map.of() : server.refusals()),
        network.described(),
        network.links().status(),
        snapshot.paths(),
        "",
        List.of(),
        snapshot,
        handovers.count(),
        handovers.entries(),
        carriers.entries());
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
        AgentReload.carryingParts(this),
        Objects.requireNonNull(metrics, "the agent is started first").registry(),
        clock);
  }

  // --- the control connection of the end that dials

  @Override
  public void welcomed(Welcomed by) {
    state.agreed(by.welcome(), by.peers().control(), clock.millis());
    readiness.cleared(SESSION);
    if (by.welcome().getResumed()) {
      dataLoop.execute(() -> {
        data.first().control(by.connection());
        network.look();
      });
      return;
    }
    TunnelTerms terms = by.terms(limits);
    install(
        new SessionParameters(
            "", terms, configuration.tunnel().sending(), by.peers(), by.ownReceiverIndex(), null),
        () -> data.first().control(by.connection()));
  }

  private void install(SessionParameters parameters, Runnable control) {
    int mtu = parameters.terms().limits().tunMtu();
    dataLoop.execute(() -> {
      data.first().install(parameters);
      control.run();
      network.look();
    });
    EgressRouting routes = routing;
    if (routes != null) {
      routes.fit(mtu);
    }
  }

  @Override
  public void lost(ControlFailure why, String detail) {
    if (why != ControlFailure.NETWORK_CHANGED) {
      lost(why.label() + ": " + detail);
    } else {
      dataLoop.execute(data.first()::controlLost);
    }
  }

  @Override
  public void tokenRefused(String detail) {
    LOG.warn("the peer refuses the key of this end: {}", detail);
  }

  @Override
  public void tokenAccepted(long expiresMs) {} // a peer needs no token

  @Override
  public void credit(CreditNotice notice) {} // a peer charges nothing

  @Override
  public void relays(List<Snapt> relays) {} // a peer has none

  @Override
  public long carriedBytes() {
    return data.first().carriedBytes();
  }

  // --- the control connection of the end that listens

  @Override
  public void accepted(Accepted by) {
    state.agreed(by.welcome(), by.from(), clock.millis());
    readiness.cleared(SESSION);
    TunnelTerms terms = by.terms();
    if (terms == null) {
      dataLoop.execute(() -> {
        data.first().control(by.connection());
        network.look();
      });
      return;
    }
    install(
        new SessionParameters(
            "",
            terms,
            configuration.tunnel().sending(),
            Remotes.of(by.from()),
            by.welcome().getReceiverIndex(),
            null),
        () -> data.first().control(by.connection()));
  }

  // --- of both

  @Override
  public void lost(String why) {
    state.lost(why);
    dataLoop.execute(data.first()::controlLost);
  }

  @Override
  public void datagrams(List<ByteBuf> datagrams, Runnable taken) {
    dataLoop.execute(() -> {
      data.first().controlDatagrams(datagrams);
      taken.run();
    });
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
      if (client != null && network.links().links().isEmpty()) {
        client.networkChanged(); // otherwise the connection follows its link
      }
    }
  }

  private void linksChanged(List<UsableLink> now) {
    if (client != null) {
      client.linksChanged(now);
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
  public void pathLeft(LeftPath left) {
    LOG.warn("nothing arrives by {}, which is up: packets leave by {}", left.name(), left.to());
    handovers.begun(clock.instant(), nanoTime.getAsLong(), "silence", left.name(), left.to());
    if (client != null) {
      client.pathSilent(left.link(), left.remote());
    }
  }

  @Override
  public void probesStopped(int path, String name, long silenceNs) {
    LOG.warn(
        "the watchdog of path {} ({}) has fired: no probe for {} ms",
        path,
        name,
        silenceNs / 1_000_000);
  }

  @Override
  public void addressLost(String address, @Nullable String why) {
    LOG.warn("the address {} of peer.listen cannot be used now: {}", address, why);
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
  public void pathDead() {
    String here = network.described();
    LOG.warn("every path to the peer is dead although the link is up: {}", here);
    handovers.begun(clock.instant(), nanoTime.getAsLong(), "path_dead", here, here);
    if (client != null) {
      client.pathDead();
    }
  }

  @Override
  public void carrierChanged(Carrier to, long silentNs) {
    carriers.changed(to, silentNs);
  }

  @Override
  public void carrierResumed(long afterNs) {
    carriers.resumed(afterNs);
  }

  /// Stops cleanly: sends the packets that were read, says goodbye to the peer, and removes routes
  /// and TUN.
  @Override
  public void close() {
    readiness.obstructed(SESSION, "stopping");
    EgressRouting routes = routing;
    if (routes != null) {
      routes.close();
    }
    network.close();
    data.close();
    if (client != null) {
      client.close("the agent stops");
    }
    if (server != null) {
      server.close("the agent stops");
    }
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
    tun.close();
  }
}
