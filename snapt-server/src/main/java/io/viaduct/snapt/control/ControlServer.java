package io.viaduct.snapt.control;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.viaduct.service.operations.Tally;
import io.viaduct.service.throttle.ConnectionGate;
import io.viaduct.service.tls.FailedHandshakeLog;
import io.viaduct.service.tls.HandshakeBytes;
import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.binding.SessionEnd;
import io.viaduct.snapt.binding.SessionRegistry;
import io.viaduct.snapt.binding.ShownToken;
import io.viaduct.snapt.reporting.Receipts;
import io.viaduct.tunnel.control.ControlFrame;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.tunnel.control.v1.Relay;
import io.viaduct.tunnel.terms.TunnelLimits;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The TLS server of the control connections. Each is a [ControlConnection]; [Welcomes] answers its
/// Hello, and [DeviceConnections] has it from then on. [RelayLists] and [Drain] tell the devices
/// about this and other SNAPTs.
public final class ControlServer {
  private static final Logger LOG = LoggerFactory.getLogger(ControlServer.class);
  private static final long TICK_MS = 250;

  // A TLS handshake and one Hello of the largest size.
  private static final int HANDSHAKE_BYTES_MAX = 2 * ControlFrame.BODY_BYTES_MAX;

  private final Settings settings;
  private final SslContext tls;
  private final EventLoopGroup group;
  private final ControlThread thread;
  private final TokenVerifier verifier;
  private final SessionRegistry registry;
  private final InstantSource clock;
  private final FailedHandshakeLog failedHandshakes;
  private final ConnectionGate gate;
  private final Tally<ConnectionEnd> ends = new Tally<>(ConnectionEnd.class);
  private final Tally<RefusalCode> refusals = new Tally<>(RefusalCode.class);
  private final Tally<ReceiptOutcome> receiptOutcomes = new Tally<>(ReceiptOutcome.class);
  private final KeepAliveRounds rounds;
  private final DeviceConnections devices;
  private final RelayLists relays;
  private final Drain drain;
  private final Welcomes welcomes;
  private @Nullable Channel listener;

  /// @param host host name under which devices reach this SNAPT
  /// @param region location of this SNAPT
  /// @param relays SNAPTs that devices are told of until the bridge has sent its directory
  /// @param dataPort UDP port of this SNAPT
  /// @param interval length of a reporting interval
  public record Settings(
      String snaptId,
      long epoch,
      int connectionsMax,
      int connectionsPerAddressMax,
      Duration handshakeTimeout,
      Duration keepAlive,
      Duration interval,
      int dataPort,
      String host,
      String region,
      TunnelLimits limits,
      List<Relay> relays) {}

  /// @param tls must offer [ControlFrame#ALPN]
  /// @param group one event loop of an `EpollIoHandler`: the control thread
  /// @param registry used only by the control thread from now on
  /// @param receipts takes the receipts of the devices
  public ControlServer(
      Settings settings,
      SslContext tls,
      EventLoopGroup group,
      TokenVerifier verifier,
      SessionRegistry registry,
      Receipts receipts,
      InstantSource clock) {
    this.settings = settings;
    this.tls = tls;
    this.group = group;
    this.thread = new ControlThread(group);
    this.verifier = verifier;
    this.registry = registry;
    this.clock = clock;
    this.failedHandshakes = new FailedHandshakeLog("control connections", clock);
    this.gate = new ConnectionGate(settings.connectionsMax(), settings.connectionsPerAddressMax());
    this.rounds = new KeepAliveRounds(settings.keepAlive().toMillis(), TICK_MS);
    this.devices = new DeviceConnections(thread, registry, receipts, settings.snaptId());
    this.relays = new RelayLists(settings, thread, registry, devices);
    this.drain = new Drain(thread, registry, relays, clock);
    this.welcomes = new Welcomes(settings, verifier, registry, relays, clock);
  }

  /// Starts to accept connections.
  ///
  /// @return the address that the server listens on
  /// @throws IOException if the server cannot listen on the address
  public InetSocketAddress start(InetSocketAddress address) throws IOException {
    var bound =
        new ServerBootstrap()
            .group(group)
            .channel(EpollServerSocketChannel.class)
            .option(ChannelOption.SO_REUSEADDR, true)
            .option(ChannelOption.SO_BACKLOG, 1024)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(EpollChannelOption.TCP_NOTSENT_LOWAT, ControlFrame.NOT_SENT_BYTES_MAX)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    accept(channel);
                  }
                })
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException(
          "cannot listen for control connections at %s: %s: choose another address or port"
              .formatted(address, bound.cause().getMessage()),
          bound.cause());
    }
    listener = bound.channel();
    InetSocketAddress at = (InetSocketAddress) listener.localAddress();
    thread.run(() -> relays.controlPort(at.getPort()));
    boolean ticks = thread.every(TICK_MS, this::onTick);
    LOG.info("control connections at {}, expiry watched: {}", at, ticks);
    return at;
  }

  private void onTick() {
    long nowMs = clock.millis();
    registry.onTick(nowMs);
    rounds.onTick();
    drain.onTick(nowMs);
    relays.onTick(drain.status(), nowMs);
  }

  private void accept(Channel channel) {
    InetSocketAddress from = (InetSocketAddress) channel.remoteAddress();
    ConnectionGate.Limit reached = gate.enter(from.getAddress());
    if (reached != null) {
      ends.count(ConnectionEnd.of(reached));
      channel.close();
      return;
    }
    channel.closeFuture().addListener(_ -> gate.leave(from.getAddress()));
    ControlConnection connection = new ControlConnection(this);
    SslHandler handler = tls.newHandler(channel.alloc());
    handler.setHandshakeTimeout(settings.handshakeTimeout().toMillis(), TimeUnit.MILLISECONDS);
    channel
        .pipeline()
        .addLast(
            new HandshakeBytes(
                HANDSHAKE_BYTES_MAX,
                connection::isWelcomed,
                () -> connection.end(ConnectionEnd.HANDSHAKE_BYTES)),
            handler);
    connection.speak(channel);
  }

  /// Returns the connections of the devices.
  public DeviceConnections devices() {
    return devices;
  }

  /// Returns what the devices are told about this and other SNAPTs.
  public RelayLists relays() {
    return relays;
  }

  /// Returns what lets this SNAPT drain and serve again.
  public Drain drain() {
    return drain;
  }

  /// Returns the control thread.
  public ControlThread thread() {
    return thread;
  }

  /// Ends the sessions whose tokens are revoked now. Their last reports are made as always. Any
  /// thread may call this.
  public void revoke() {
    thread.run(() -> {
      long nowMs = clock.millis();
      for (Session each : List.copyOf(registry.sessions())) {
        verifier.revocation(each.shown(), nowMs).ifPresent(words -> devices.revoke(each, words));
      }
    });
  }

  /// Stops accepting connections and ends every session. Returns when the devices have received
  /// their Goodbye.
  public void stop() {
    if (listener != null) {
      listener.close().awaitUninterruptibly();
    }
    thread.stop(registry::stop);
  }

  // --- for a connection, on the control thread

  Welcomes welcomes() {
    return welcomes;
  }

  boolean renew(Session session, ShownToken token) {
    return registry.renew(session, token);
  }

  /// Runs something on the control thread once the session's datagrams are accepted: a device may
  /// send them as soon as it has the Welcome.
  void onceCarried(Session session, Runnable then) {
    registry.onceCarried(session, () -> thread.run(then));
  }

  /// Called when the Welcome was sent: starts the KeepAlives, and tells the device about SNAPTs.
  void onWelcomed(ControlConnection connection, Session session) {
    registry.control(session, connection);
    relays.tell(connection);
    rounds.add(connection);
  }

  void onGoodbye(Session session) {
    registry.end(session, SessionEnd.GOODBYE);
  }

  /// Ends a session because its device does not sign.
  void cut(Session session) {
    registry.end(session, SessionEnd.RECEIPTS_OWED);
  }

  FailedHandshakeLog failedHandshakes() {
    return failedHandshakes;
  }

  Duration handshakeTimeout() {
    return settings.handshakeTimeout();
  }

  Duration keepAlive() {
    return settings.keepAlive();
  }

  long nowMs() {
    return clock.millis();
  }

  /// Returns the counts of ended connections by reason; any thread may call this.
  public Tally<ConnectionEnd> ends() {
    return ends;
  }

  /// Returns the counts of sent refusals by code; any thread may call this.
  public Tally<RefusalCode> refusals() {
    return refusals;
  }

  /// Returns the outcomes of the requests for receipts; any thread may call this.
  public Tally<ReceiptOutcome> receiptOutcomes() {
    return receiptOutcomes;
  }

  /// Returns the number of open connections; any thread may call this.
  public int connections() {
    return gate.connections();
  }
}
