package io.viaduct.cnapt;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.netty.buffer.ByteBuf;
import io.netty.handler.ssl.SslContext;
import io.viaduct.cnapt.classification.AddressRanges;
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
import io.viaduct.cnapt.links.Remotes;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.operations.ControlMeters;
import io.viaduct.cnapt.operations.PeerMeters;
import io.viaduct.cnapt.peer.Accepted;
import io.viaduct.cnapt.peer.PeerListener;
import io.viaduct.cnapt.peer.PeerServer;
import io.viaduct.cnapt.peer.PeerSettings;
import io.viaduct.cnapt.peer.PeerSources;
import io.viaduct.cnapt.tunnel.EndRole;
import io.viaduct.cnapt.tunnel.LocalEnd;
import io.viaduct.cnapt.tunnel.Measuring;
import io.viaduct.cnapt.tunnel.SessionParameters;
import io.viaduct.cnapt.tunnel.TunnelEnd;
import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.service.configuration.ConfigurationSource;
import io.viaduct.service.reload.ConfigurationReload;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.PinnedKey;
import io.viaduct.tunnel.control.ControlLine;
import io.viaduct.tunnel.control.v1.CreditNotice;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.Ciphers;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.terms.TunnelTerms;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Assembles the agent of one end of a tunnel to a peer (docs/peers.md): no SNAPT, no operator, no
/// bill. The parts call each other as follows:
///
///     control client or peer server ─keys→ data path ←packets→ TUN, UDP
///     network watch ─moved→ data path, control client
///
/// [HostTunnel] has data path and network watch, on the data loop; the control loop owns the control
/// connection. Fields shared between threads name their writer.
final class PeerAgent
    implements CarryingAgent, ControlListener, PeerListener, PathEvents.Owner, HostTunnel.Owner {
  private static final Logger LOG = LoggerFactory.getLogger(PeerAgent.class);
  private static final int UNMARKED = 0; // no rule leads the host's traffic into the tunnel
  private static final byte[] NO_TOKEN = {};

  private final CnaptConfiguration configuration;
  private final PeerSettings peer;
  private final AgentClock clock;
  private final DeviceIdentity identity;
  private final PeerState state;
  private final AgentOperations operations;
  private final HandoverRecorder recorder;
  private final TunnelLimits limits;
  private final AgentLoops loops = new AgentLoops();
  private final PeerSources sources;
  private final HostTunnel tunnel;
  private final TunnelEnd end;
  private final @Nullable ControlClient client; // at the end that dials
  private final @Nullable PeerServer server; // at the end that listens
  private volatile @Nullable EgressRouting routing; // written by the starting thread

  /// Creates the TUN and the sockets. Carries no packets before [#start].
  ///
  /// @throws IOException if a resource is missing; the message names it and says what to do
  PeerAgent(CnaptConfiguration configuration, AgentClock clock) throws IOException {
    this.configuration = configuration;
    this.peer = configuration.peer();
    this.clock = clock;
    this.operations = new AgentOperations(configuration);
    this.recorder = new HandoverRecorder(clock);
    this.state = new PeerState("peer " + peer.key());
    checkKeys(configuration);
    this.identity = DeviceIdentity.read(configuration.deviceKey());
    this.limits = configuration.limits();
    this.sources = new PeerSources(peer.prefixes());
    LocalEnd local = new LocalEnd(AddressRanges.ALL, UNMARKED, role(configuration), sources);
    PathEvents events = new PathEvents(recorder, this::client, this);
    this.tunnel =
        new HostTunnel(configuration, recorder, clock, loops.data(), local, List.of(events), this);
    this.end = tunnel.data().first();
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
            configuration.mobility(), new Measuring(peer.probe(), peer.watchdog()), () -> false)
        : new EndRole.Answering(peer.addresses(), peer.watchdog());
  }

  private @Nullable ControlClient client() {
    return client;
  }

  private ControlClient dialling() {
    String host = peer.remotes().getFirst().getHostAddress();
    SslContext tls = PinnedKey.client(peer.rawKey());
    return new ControlClient(
        new ControlTransport(
            loops.control(), () -> tls, UNMARKED, () -> end.ranked(tunnel.links())),
        configuration.control(),
        identity,
        configuration.greeting(tunnel.classifier().names()),
        new DeviceSnapts(
            new SnaptSettings(host, peer.port(), ""),
            new SnaptClaims(),
            new BridgeDirectory(clock.monotonic())),
        null,
        new SecureRandom(),
        this);
  }

  private PeerServer answering() {
    return new PeerServer(
        loops.control(),
        Ed25519.readPair(configuration.deviceKey()),
        peer.rawKey(),
        limits,
        (int) configuration.control().connectTimeout().toMillis(),
        clock.wall(),
        this);
  }

  @Override
  public void start() throws IOException {
    String ownKey = PinnedKey.text(identity.publicKey());
    LOG.info("AES-256-GCM by {}", Ciphers.provider(AeadAlgorithm.AES_256_GCM));
    LOG.info("key {}, peer {}", ownKey, peer.key());
    EgressRouting routes =
        EgressRouting.towards(
            configuration.tun(),
            tunnel.tunName(),
            limits.tunMtu(),
            configuration.routing(),
            peer.prefixes());
    routing = routes;
    tunnel.start();
    PeerServer listening = server;
    if (listening != null) {
      listening.start(peer.addresses(), tunnel.data().listensAt());
    }
    ControlClient calling = client;
    if (calling != null) {
      List<InetAddress> remotes = peer.remotes();
      calling.present(NO_TOKEN, List.of(), Map.of(remotes.getFirst().getHostAddress(), remotes));
    }
    operations.measure(loops.data(), meters());
    operations.serve(
        new PeerStatusSource(tunnel, routes, state, peer, ownKey, sources, server)::status,
        OutsideGroup.with(tunnel.actions(), routes.processes()));
  }

  private List<MeterBinder> meters() {
    List<MeterBinder> meters = new ArrayList<>(tunnel.meters());
    meters.add(new PeerMeters(tunnel.data().counters(), sources));
    if (server != null) {
      meters.add(new PeerMeters.Listening(server));
    }
    if (client != null) {
      meters.add(new ControlMeters(List.of(client)));
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
    return operations.reload(source, AgentReload.carryingParts(this), clock.wall());
  }

  // --- the control connection of the end that dials

  @Override
  public void welcomed(Welcomed by) {
    state.agreed(by.welcome(), by.peers().control(), clock.nowMs());
    operations.sessionBegun();
    SessionParameters fresh =
        by.welcome().getResumed()
            ? null
            : new SessionParameters(
                "",
                by.terms(limits),
                configuration.tunnel().sending(),
                by.peers(),
                by.ownReceiverIndex(),
                null);
    carry(fresh, by.connection());
  }

  @Override
  public void lost(ControlFailure why, String detail) {
    if (why != ControlFailure.NETWORK_CHANGED) {
      lost(why.label() + ": " + detail);
    } else {
      loops.data().execute(end::controlLost);
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
    return end.carriedBytes();
  }

  // --- the control connection of the end that listens

  @Override
  public void accepted(Accepted by) {
    state.agreed(by.welcome(), by.from(), clock.nowMs());
    operations.sessionBegun();
    TunnelTerms terms = by.terms();
    SessionParameters fresh =
        terms == null
            ? null
            : new SessionParameters(
                "",
                terms,
                configuration.tunnel().sending(),
                Remotes.of(by.from()),
                by.welcome().getReceiverIndex(),
                null);
    carry(fresh, by.connection());
  }

  // --- of both

  /// Lets the tunnel carry with a control connection.
  ///
  /// @param fresh the session that begins; null if the present one was resumed
  private void carry(@Nullable SessionParameters fresh, ControlLine.Connection connection) {
    loops
        .data()
        .execute(() -> {
          if (fresh != null) {
            end.install(fresh);
          }
          end.control(connection);
          tunnel.network().look();
        });
    EgressRouting routes = routing;
    if (fresh != null && routes != null) {
      routes.fit(fresh.terms().limits().tunMtu());
    }
  }

  @Override
  public void lost(String why) {
    state.lost(why);
    loops.data().execute(end::controlLost);
  }

  @Override
  public void datagrams(List<ByteBuf> datagrams, Runnable taken) {
    loops
        .data()
        .execute(() -> {
          end.controlDatagrams(datagrams);
          taken.run();
        });
  }

  // --- the network

  @Override
  public @Nullable InetSocketAddress peer() {
    return state.remote();
  }

  @Override
  public void linksChanged(List<UsableLink> now) {
    if (client != null) {
      client.linksChanged(now);
    }
  }

  @Override
  public void moved(String from, String to) {
    if (client != null && tunnel.links().isEmpty()) {
      client.networkChanged(); // otherwise the connection follows its link
    }
  }

  @Override
  public void woken(long sleptMs) {
    LOG.info("awake after {} s: probing", sleptMs / 1_000);
  }

  // --- the data path

  @Override
  public void pathFound() {} // the session stands with its control connection

  @Override
  public void pathDead() {
    String here = tunnel.network().described();
    LOG.warn("every path to the peer is dead although the link is up: {}", here);
    recorder.pathDead(here);
  }

  /// Stops cleanly: sends the packets that were read, says goodbye to the peer, and removes routes
  /// and TUN.
  @Override
  public void close() {
    operations.stopping();
    EgressRouting routes = routing;
    if (routes != null) {
      routes.close();
    }
    tunnel.stop();
    if (client != null) {
      client.close("the agent stops");
    }
    if (server != null) {
      server.close("the agent stops");
    }
    operations.close();
    loops.close();
    tunnel.close();
  }
}
