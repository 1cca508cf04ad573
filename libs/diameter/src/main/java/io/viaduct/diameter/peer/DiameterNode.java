package io.viaduct.diameter.peer;

import io.netty.channel.EventLoop;
import io.viaduct.diameter.dictionary.Dictionary;
import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.message.MessageReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/// A Diameter node: keeps connections with its peers, sends requests to them and answers theirs.
/// One event loop owns its state; the public methods may be called from any thread.
public final class DiameterNode implements AutoCloseable, PeerOwner {
  private static final long TICK_MS = 20;
  private static final long NANOS_PER_MS = 1_000_000;

  private final NodeSettings settings;
  private final LongSupplier nanoTime;
  private final DiameterStatistics statistics = new DiameterStatistics();
  private final BaseMessages base;
  private final PeerRoutes routes;
  private final EndToEndIds identifiers;
  private final IncomingRequests incoming;
  private final NodeConnections connections;
  private final NodeSockets sockets;
  private final EventLoop loop;
  private final List<Runnable> availableListeners = new CopyOnWriteArrayList<>();
  private boolean closing;

  private DiameterNode(
      NodeIdentity own,
      NodeSettings settings,
      Dictionary dictionary,
      Map<Long, RequestHandler> handlers,
      LongSupplier nanoTime,
      RandomGenerator random) {
    this.settings = settings;
    this.nanoTime = nanoTime;
    this.base = new BaseMessages(own, dictionary);
    this.routes = new PeerRoutes(settings.pendingMax(), statistics);
    this.identifiers = new EndToEndIds(own.originState(), random);
    this.incoming =
        new IncomingRequests(
            handlers, settings.rememberedMax(), settings.pendingMax(), base.answers(), statistics);
    MessageReader reader = new MessageReader(dictionary, settings.codec());
    this.connections =
        new NodeConnections(own, settings, base, reader, routes, statistics, this::nowMs);
    this.sockets = new NodeSockets(reader, connections);
    this.loop = sockets.loop();
    for (PeerSettings peer : settings.peers()) {
      routes.add(new Peer(peer, settings, own, base, this, statistics, random, nowMs()));
    }
  }

  /// Starts a node: opens its listener and connects to its peers.
  ///
  /// @param handlers by Application-Id
  /// @throws IOException if the listener cannot be opened
  public static DiameterNode start(
      NodeIdentity own,
      NodeSettings settings,
      Dictionary dictionary,
      Map<Long, RequestHandler> handlers)
      throws IOException {
    DiameterNode node =
        new DiameterNode(
            own,
            settings,
            dictionary,
            Map.copyOf(handlers),
            System::nanoTime,
            RandomGenerator.getDefault());
    try {
      node.open();
    } catch (IOException e) {
      node.sockets.close();
      throw e;
    }
    return node;
  }

  private void open() throws IOException {
    InetSocketAddress address = settings.listen();
    if (address != null) {
      sockets.listen(address);
    }
    loop.execute(() -> routes.peers().forEach(peer -> peer.start(nowMs())));
    loop.scheduleAtFixedRate(this::tick, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
  }

  private void tick() {
    long nowMs = nowMs();
    connections.tick(nowMs);
    routes.peers().forEach(peer -> peer.tick(nowMs));
  }

  private long nowMs() {
    return nanoTime.getAsLong() / NANOS_PER_MS;
  }

  public DiameterStatistics statistics() {
    return statistics;
  }

  /// Returns the port of the listener, or 0 if there is none.
  public int port() {
    return sockets.port();
  }

  /// Sends a request to the first peer that takes it. If that peer fails, the next one gets it with
  /// the T bit.
  ///
  /// @param request its end-to-end identifier is set if it is 0
  /// @return the answer, also one with an error; or it fails with a [DiameterException]
  public CompletableFuture<DiameterMessage> send(DiameterMessage request) {
    return exchange(request).thenApply(Exchange::answer);
  }

  /// Sends a request as [#send], and tells how it was sent.
  ///
  /// @return the request as it was sent last, and the answer; or it fails with a
  ///   [DiameterException]
  public CompletableFuture<Exchange> exchange(DiameterMessage request) {
    PendingRequest pending =
        new PendingRequest(
            request.header().endToEnd() == 0
                ? request.with(request.header().withEndToEnd(identifiers.take()))
                : request);
    try {
      loop.execute(() -> sendOnLoop(pending));
    } catch (RejectedExecutionException _) {
      fail(pending);
    }
    return pending.end();
  }

  private void sendOnLoop(PendingRequest request) {
    if (closing) {
      fail(request);
    } else {
      routes.send(request, nowMs());
    }
  }

  private void fail(PendingRequest request) {
    statistics.count(DiameterFailure.CLOSED);
    request.fail(DiameterFailure.CLOSED, "the node is closed");
  }

  /// Returns an end-to-end identifier for a request that is kept before it is sent.
  public int takeEndToEnd() {
    return identifiers.take();
  }

  /// Returns true if a peer takes requests of this application now.
  public CompletableFuture<Boolean> takes(long application) {
    return CompletableFuture.supplyAsync(
        () -> routes.peers().stream().anyMatch(peer -> peer.takes(application)), loop);
  }

  /// Adds a listener that is called on the event loop each time a peer becomes available. It must
  /// not block.
  public void onAvailable(Runnable listener) {
    availableListeners.add(listener);
  }

  @Override
  public void connect(Peer peer) {
    InetSocketAddress address = peer.settings().address();
    if (address == null) {
      throw new IllegalStateException(peer.settings().host() + " has no address");
    }
    sockets.connect(
        address,
        settings.handshake(),
        connection -> {
          connections.opened(connection, peer);
          peer.connected(connection, nowMs());
        },
        () -> peer.connectFailed(nowMs()));
  }

  @Override
  public void requested(Peer peer, Connection connection, DiameterMessage request, long nowMs) {
    incoming.received(connection, request, nowMs, loop);
  }

  @Override
  public void failedOver(Peer peer, List<PendingRequest> requests, long nowMs) {
    if (closing) {
      requests.forEach(this::fail);
    } else {
      routes.resend(requests, nowMs);
    }
  }

  @Override
  public void undelivered(Peer peer, PendingRequest request, DiameterMessage answer, long nowMs) {
    routes.reroute(request, answer, nowMs);
  }

  @Override
  public void available(Peer peer) {
    availableListeners.forEach(Runnable::run);
  }

  /// Takes leave of all peers, waits for at most the time limit of the handshake, and closes all
  /// connections. Requests in flight fail. Not to be called on the event loop.
  @Override
  public void close() {
    if (loop.isShuttingDown()) {
      return;
    }
    sockets.closeListener();
    loop.execute(() -> {
      closing = true;
      routes.peers().forEach(peer -> peer.stop("REBOOTING", nowMs()));
    });
    long until = nowMs() + settings.handshake().toMillis();
    while (nowMs() < until && !loop.submit(this::isClosed).awaitUninterruptibly().getNow()) {
      loop.schedule(() -> {}, TICK_MS, TimeUnit.MILLISECONDS).awaitUninterruptibly();
    }
    loop.submit(() -> routes.peers().forEach(peer -> peer.pending().abandon()))
        .awaitUninterruptibly();
    sockets.close();
  }

  private boolean isClosed() {
    return routes.peers().stream()
        .noneMatch(peer -> peer.state().isOpen() || peer.state() == PeerState.CLOSING);
  }
}
