package io.viaduct.snapt.control;

import com.google.protobuf.ByteString;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import io.viaduct.service.operations.Tally;
import io.viaduct.service.throttle.ConnectionGate;
import io.viaduct.service.tls.FailedHandshakeLog;
import io.viaduct.service.tls.HandshakeBytes;
import io.viaduct.snapt.binding.Arrival;
import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.binding.SessionEnd;
import io.viaduct.snapt.binding.SessionRegistry;
import io.viaduct.snapt.binding.SessionRegistry.Admission;
import io.viaduct.snapt.binding.ShownToken;
import io.viaduct.snapt.reporting.ReceiptAsker;
import io.viaduct.snapt.reporting.Receipts;
import io.viaduct.snapt.reporting.ReportIdentity;
import io.viaduct.tunnel.control.ControlFrame;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.control.v1.Hello;
import io.viaduct.tunnel.control.v1.IntervalBoundary;
import io.viaduct.tunnel.control.v1.Moved;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.tunnel.control.v1.Relay;
import io.viaduct.tunnel.control.v1.RelayList;
import io.viaduct.tunnel.control.v1.Welcome;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.terms.HelloTerms;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.terms.TunnelTerms;
import io.viaduct.usage.v1.DirectoryEntry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The TLS server of the control connections. Its single event loop is the control thread, which
/// owns the session registry.
public final class ControlServer implements ReceiptAsker {
  private static final Logger LOG = LoggerFactory.getLogger(ControlServer.class);
  private static final long TICK_MS = 250;

  // Features by which a device asks for a message, beside those of the tunnel.
  private static final List<Feature> TOLD =
      List.of(
          Feature.CREDIT_NOTICES,
          Feature.RELAY_LISTS,
          Feature.LINE_RATES,
          Feature.MOVES,
          Feature.SIGNED_DIRECTORIES);

  private static final long DRAIN_MS_MAX = 2_000; // less than an operator's command waits

  // Changes of the directory are merged for this long; a change of this SNAPT's own state is not.
  private static final long RELAYS_MS = 1_000;

  // A TLS handshake and one Hello of the largest size.
  private static final int HANDSHAKE_BYTES_MAX = 2 * ControlFrame.BODY_BYTES_MAX;

  private final Settings settings;
  private final SslContext tls;
  private final EventLoopGroup group;
  private final TokenVerifier verifier;
  private final SessionRegistry registry;
  private final Receipts receipts;
  private final InstantSource clock;
  private final SecureRandom random = new SecureRandom();
  private final FailedHandshakeLog failedHandshakes;
  private final ConnectionGate gate;
  private final Tally<ConnectionEnd> ends = new Tally<>(ConnectionEnd.class);
  private final Tally<RefusalCode> refusals = new Tally<>(RefusalCode.class);
  private final Tally<ReceiptOutcome> receiptOutcomes = new Tally<>(ReceiptOutcome.class);
  private final Map<UUID, ControlConnection> connections = new HashMap<>();
  private final ApplicationNames applications = new ApplicationNames();
  private final KeepAliveRounds rounds;
  private final KnownRelays relays;
  private volatile DrainStatus drain = DrainStatus.SERVING; // written by the control thread
  private volatile Mover mover = all -> all; // written before the start
  private boolean relaysChanged;
  private long relaysSentMs;
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

  /// Hands the sessions over that are left at the deadline of a drain. Called on the control
  /// thread.
  public interface Mover {
    /// Called when a drain begins.
    default void prepare() {}

    /// Goes on.
    ///
    /// @return those of the sessions that end, because they cannot be handed over
    List<Session> move(List<Session> all);
  }

  /// The answer to a Hello.
  sealed interface Answer {
    record Welcomed(Session session, Welcome welcome) implements Answer {}

    record Refused(RefusalCode code, String detail) implements Answer {}
  }

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
    this.verifier = verifier;
    this.registry = registry;
    this.receipts = receipts;
    this.clock = clock;
    this.failedHandshakes = new FailedHandshakeLog("control connections", clock);
    this.gate = new ConnectionGate(settings.connectionsMax(), settings.connectionsPerAddressMax());
    this.rounds = new KeepAliveRounds(settings.keepAlive().toMillis(), TICK_MS);
    this.relays =
        new KnownRelays(
            settings.relays(),
            Relay.newBuilder()
                .setSnaptId(settings.snaptId())
                .setHost(settings.host())
                .setDataPort(settings.dataPort())
                .setRegion(settings.region())
                .setState(Relay.State.SERVING)
                .build());
    registry.onEnd(this::onSessionEnd);
  }

  /// Sets what hands sessions over; before the start.
  public void movedBy(Mover moving) {
    mover = moving;
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
    int port = ((InetSocketAddress) listener.localAddress()).getPort();
    group.next().execute(() -> relays.own(relays.own().toBuilder().setControlPort(port).build()));
    var ticks =
        group.next().scheduleAtFixedRate(this::onTick, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
    LOG.info(
        "control connections at {}, expiry watched: {}", listener.localAddress(), !ticks.isDone());
    return (InetSocketAddress) listener.localAddress();
  }

  private void onTick() {
    long nowMs = clock.millis();
    registry.onTick(nowMs);
    rounds.onTick();
    if (drain.isOver(nowMs)) {
      endDrained();
    }
    ownRelay();
    if (relaysChanged && nowMs - relaysSentMs >= RELAYS_MS) {
      sendRelays(nowMs);
    }
  }

  private void endDrained() {
    List<Session> ending = mover.move(List.copyOf(registry.sessions()));
    if (!ending.isEmpty()) {
      LOG.info("the deadline of the drain is over: {} sessions end", ending.size());
      ending.forEach(each -> registry.end(each, SessionEnd.DRAINED));
    }
  }

  private void ownRelay() {
    DrainStatus now = drain;
    relaysChanged |=
        relays.own(
            relays.own().toBuilder()
                .setState(now.draining() ? Relay.State.DRAINING : Relay.State.SERVING)
                .setDrainDeadlineMs(now.deadlineMs())
                .setLoadPercent(registry.loadPercent())
                .build());
  }

  private void sendRelays(long nowMs) {
    relaysChanged = false;
    relaysSentMs = nowMs;
    RelayList list = relays.list();
    RelayList signed = relays.signedList();
    connections.values().forEach(each -> each.tell(list, signed));
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

  // --- requests of a connection, on the control thread

  Answer welcome(Hello hello, byte[] exporter) {
    if (hello.getVersion() != ControlFrame.VERSION) {
      return new Answer.Refused(
          RefusalCode.VERSION_UNSUPPORTED,
          "this SNAPT speaks version 1, got " + hello.getVersion());
    }
    return switch (verify(hello.getToken(), hello.getProof(), exporter)) {
      case TokenVerifier.Result.Refused(RefusalCode code, String detail) ->
          new Answer.Refused(code, detail);
      case TokenVerifier.Result.Valid(ShownToken token) -> admit(hello, token);
    };
  }

  private Answer admit(Hello hello, ShownToken token) {
    SessionSecret secret = SessionSecret.draw(random);
    byte[] revealed = secret.reveal();
    try {
      Session.Terms terms = SessionTerms.of(hello, applications, secret, settings.limits());
      return switch (registry.admit(token, hello.getResumeSessionId(), terms, clock.millis())) {
        case Admission.Refused(SessionRegistry.Reason reason) -> refused(reason);
        case Admission.Admitted(Session session, boolean resumed) -> {
          LOG.info("{} {}", session, resumed ? "resumed" : "opened");
          boolean signs = terms.receipts() && session.terms().receipts();
          yield new Answer.Welcomed(session, welcome(session, resumed, revealed, signs));
        }
      };
    } catch (HelloTerms.RefusedException e) {
      return new Answer.Refused(e.code(), String.valueOf(e.getMessage()));
    }
  }

  private static Answer refused(SessionRegistry.Reason reason) {
    return switch (reason) {
      case SESSIONS_EXHAUSTED ->
          new Answer.Refused(
              RefusalCode.SESSIONS_EXHAUSTED,
              "the limit of sessions is reached: try another SNAPT");
      case SPOOL_FULL ->
          new Answer.Refused(
              RefusalCode.SESSIONS_EXHAUSTED,
              "the spool of usage reports is full: try another SNAPT");
      case DRAINING ->
          new Answer.Refused(RefusalCode.DRAINING, "this SNAPT is about to stop: try another one");
      case NOT_ITS_SESSION ->
          new Answer.Refused(
              RefusalCode.SESSION_ACCOUNT_MISMATCH,
              "the session belongs to another account or device: open a new one");
    };
  }

  private Welcome welcome(Session session, boolean resumed, byte[] secret, boolean signs) {
    TunnelTerms terms = session.terms().tunnel();
    Welcome.Builder welcome =
        Welcome.newBuilder()
            .setSessionId(session.id().toString())
            .setResumed(resumed)
            .setReceiverIndex(session.receiverIndex())
            .setAead(HelloTerms.wire(terms.aead()))
            .setDataPort(settings.dataPort())
            .setPathMtu(terms.limits().pathMtu())
            .setHistoryBytes(terms.limits().historyBytes())
            .setPaths(terms.limits().paths())
            .setReportIntervalMs((int) settings.interval().toMillis())
            .setEpoch(settings.epoch())
            .setSnaptId(settings.snaptId())
            .addAllFeatures(terms.limits().features());
    if (session.terms().features().contains(Feature.SIGNED_DIRECTORIES)
        && !relays.signed().isEmpty()) {
      welcome.setSignedDirectory(relays.signed());
    } else {
      welcome.addAllRelays(relays.welcome());
    }
    if (signs) {
      welcome.addFeatures(Feature.RECEIPTS);
    }
    for (Feature told : TOLD) {
      if (session.terms().features().contains(told)) {
        welcome.addFeatures(told);
      }
    }
    Arrival arrival = session.arrival();
    if (arrival != null) {
      welcome.setMovedNumber(arrival.number());
    }
    return resumed ? welcome.build() : welcome.setSecret(ByteString.copyFrom(secret)).build();
  }

  TokenVerifier.Result verify(ByteString token, ByteString proof, byte[] exporter) {
    return verifier.verify(token, proof, exporter, clock.millis());
  }

  boolean renew(Session session, ShownToken token) {
    return registry.renew(session, token);
  }

  /// Starts the KeepAlives of a welcomed connection.
  void watch(ControlConnection connection) {
    rounds.add(connection);
  }

  void onGoodbye(Session session) {
    registry.end(session, SessionEnd.GOODBYE);
  }

  /// Runs something on the control thread once the session's datagrams are accepted: a device may
  /// send them as soon as it has the Welcome.
  void onceCarried(Session session, Runnable then) {
    registry.onceCarried(session, () -> onControlThread(then));
  }

  /// Makes a connection the one that owns a session. @return false if the session has ended
  boolean own(ControlConnection connection, Session session) {
    if (!registry.isOpen(session)) {
      return false;
    }
    ControlConnection before = connections.put(session.id(), connection);
    if (before != null && before != connection) {
      before.goodbye(ConnectionEnd.REPLACED, "the session was resumed on another connection");
    }
    return true;
  }

  void onWelcomed(ControlConnection connection, Session session) {
    registry.control(session, connection);
    connection.tell(relays.list(), relays.signedList());
  }

  /// Looks up the receipts that a device owes, and asks the device for them.
  ReceiptDialog beginReceipts(ControlConnection connection, Session session) {
    receipts.owedBy(
        session.shown().deviceKey(),
        owed -> {
          if (!group.isShuttingDown()) {
            group.execute(() -> connection.owed(owed));
          }
        });
    return new ReceiptDialog(
        settings.snaptId(), session.id(), session.shown().deviceKey(), receipts, connection);
  }

  /// Ends a session because its device does not sign.
  void cut(Session session) {
    registry.end(session, SessionEnd.RECEIPTS_OWED);
  }

  /// Accepts datagrams only from the connection that owns the session now.
  void onDatagrams(
      ControlConnection connection, Session session, List<ByteBuf> datagrams, Runnable taken) {
    if (connections.get(session.id()) == connection) {
      registry.datagrams(session, datagrams, taken);
    } else {
      datagrams.forEach(ByteBuf::release);
      taken.run();
    }
  }

  void onClosed(ControlConnection connection, @Nullable Session session) {
    if (session != null && connections.remove(session.id(), connection)) {
      registry.control(session, null);
    }
  }

  private void onSessionEnd(Session session, SessionEnd why) {
    LOG.info("{} ended: {}", session, why);
    ControlConnection connection = connections.get(session.id());
    if (connection != null && !connection.isLeaving()) {
      connection.goodbye(why.name());
    }
  }

  // --- from other threads

  @Override
  public void ask(
      ByteString device, String session, List<IntervalBoundary> boundaries, boolean last) {
    UUID id = UUID.fromString(session);
    try {
      group.execute(() -> {
        ControlConnection connection = connections.get(id);
        if (connection == null) {
          connection = registry.ofDevice(device).map(own -> connections.get(own.id())).orElse(null);
        }
        if (connection == null || !connection.ask(id, boundaries, last)) {
          unreachable(boundaries);
        }
      });
    } catch (RejectedExecutionException _) {
      unreachable(boundaries); // the control thread has ended: this SNAPT is stopping
    }
  }

  /// Tells the device of a session something, if it is connected and knows the message.
  ///
  /// @param needed feature of devices that know the message
  public void tell(Session session, Feature needed, ControlMessage.Builder message) {
    if (!session.terms().features().contains(needed)) {
      return;
    }
    try {
      group.execute(() -> {
        ControlConnection connection = connections.get(session.id());
        if (connection != null) {
          connection.tell(message);
        }
      });
    } catch (RejectedExecutionException _) {
      // the control thread has ended: this SNAPT is stopping
    }
  }

  /// Sends a KeepAlive to a device whose datagrams come from another address: its control
  /// connection may lead nowhere now, and the sooner one end notices that, the sooner there is
  /// another one (main paper, section III-B). Any thread may call this.
  public void nudge(Session session) {
    try {
      group.execute(() -> {
        ControlConnection connection = connections.get(session.id());
        if (connection != null) {
          connection.nudge();
        }
      });
    } catch (RejectedExecutionException _) {
      // the control thread has ended: this SNAPT is stopping
    }
  }

  /// Takes the bridge's directory, to tell it to the devices.
  ///
  /// @param signed the same as the bridge has signed it, encoded; empty from an older bridge
  public void told(List<DirectoryEntry> directory, ByteString signed) {
    if (directory.isEmpty()) {
      return; // a bridge of the version before
    }
    onControlThread(() -> relaysChanged |= relays.told(directory, signed));
  }

  /// Ends the sessions whose tokens are revoked now. Their last reports are made as always.
  public void revoke() {
    onControlThread(() -> {
      long nowMs = clock.millis();
      for (Session each : List.copyOf(registry.sessions())) {
        verifier.revocation(each.shown(), nowMs).ifPresent(words -> revoke(each, words));
      }
    });
  }

  private void revoke(Session session, String words) {
    ControlConnection connection = connections.get(session.id());
    if (connection != null) {
      connection.leaves(SessionEnd.REVOKED.name() + ": " + words);
    }
    registry.end(session, SessionEnd.REVOKED);
  }

  /// Starts to drain: open sessions are served, new ones refused, and the devices are told at once.
  /// Blocks until then; must not be called on the control thread.
  ///
  /// @param deadlineMs Unix time at which the sessions end that are left; 0 for never
  /// @throws IllegalStateException if this SNAPT is stopping
  public void drain(long deadlineMs) {
    awaitDrain(new DrainStatus(true, deadlineMs));
  }

  /// Serves new sessions again. Blocks and throws as [#drain(long)].
  public void undrain() {
    awaitDrain(DrainStatus.SERVING);
  }

  private void awaitDrain(DrainStatus wanted) {
    Future<?> done;
    try {
      done = group.submit(() -> drain(wanted));
    } catch (RejectedExecutionException e) {
      throw new IllegalStateException(
          "this SNAPT is stopping: it takes no new session anyway, and sessions end now", e);
    }
    if (!done.awaitUninterruptibly(DRAIN_MS_MAX)) {
      throw new IllegalStateException(
          "the control thread has not answered within %d ms: look at the status and try again"
              .formatted(DRAIN_MS_MAX));
    }
    done.syncUninterruptibly(); // throws what it has thrown
  }

  private void drain(DrainStatus now) {
    drain = now;
    if (now.draining()) {
      mover.prepare();
    }
    registry.drain(now.draining());
    ownRelay();
    if (relaysChanged) {
      sendRelays(clock.millis());
    }
  }

  /// Returns whether this SNAPT drains; any thread may call this.
  public DrainStatus drainStatus() {
    return drain;
  }

  /// Returns how many SNAPTs of the directory the devices are not told, because their list is full;
  /// any thread may call this.
  public int relaysLeftOut() {
    return relays.leftOut();
  }

  /// Tells the device of a session about its hand-over; on the control thread.
  ///
  /// @return false if it is not connected, or does not know the message
  public boolean tell(Session session, Moved moved) {
    ControlConnection connection = connections.get(session.id());
    return connection != null && connection.tell(moved);
  }

  /// Returns whether the device of a session can be told of a hand-over; on the control thread.
  public boolean canMove(Session session) {
    ControlConnection connection = connections.get(session.id());
    return connection != null && connection.knowsMoves();
  }

  /// Returns whether the device of a session is away: it sleeps, or has no network; on the control
  /// thread.
  public boolean isAway(Session session) {
    return !connections.containsKey(session.id());
  }

  /// Returns another SNAPT as the bridge has told it, if it takes new sessions; on the control
  /// thread.
  public Optional<Relay> serving(String snaptId) {
    return known(snaptId).filter(each -> each.getState() != Relay.State.DRAINING);
  }

  /// Returns another SNAPT as the bridge has told it; on the control thread.
  public Optional<Relay> known(String snaptId) {
    return relays.find(snaptId);
  }

  /// Runs work on the control thread after a time, unless this SNAPT stops before.
  public void later(long delayMs, Runnable work) {
    try {
      var unused = group.next().schedule(work, delayMs, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException _) {
      // the control thread has ended: this SNAPT is stopping
    }
  }

  /// Runs work on the control thread, unless this SNAPT stops before. Any thread may call this.
  public void onControlThread(Runnable work) {
    try {
      group.execute(work);
    } catch (RejectedExecutionException _) {
      // the control thread has ended: this SNAPT is stopping
    }
  }

  private void unreachable(List<IntervalBoundary> boundaries) {
    boundaries.forEach(boundary -> receipts.unreachable(ReportIdentity.of(boundary)));
  }

  /// Stops accepting connections and ends every session. Returns when the devices have received
  /// their Goodbye.
  public void stop() {
    if (listener != null) {
      listener.close().awaitUninterruptibly();
    }
    group.next().submit(registry::stop).awaitUninterruptibly();
    group.shutdownGracefully(50, 1_000, TimeUnit.MILLISECONDS).awaitUninterruptibly();
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
