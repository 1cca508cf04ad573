package io.viaduct.bridge.cluster;

import io.grpc.ManagedChannel;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.viaduct.bridge.configuration.BridgesSettings.Peer;
import io.viaduct.bridge.replication.Replicas;
import io.viaduct.service.logging.PeerText;
import io.viaduct.service.tls.HandshakeFailure;
import io.viaduct.sip.HostPort;
import io.viaduct.sip.Transport;
import io.viaduct.usage.v1.BridgeAnswer;
import io.viaduct.usage.v1.BridgeBeat;
import io.viaduct.usage.v1.BridgeHello;
import io.viaduct.usage.v1.BridgeMessage;
import io.viaduct.usage.v1.BridgesGrpc;
import io.viaduct.usage.v1.SipAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The call of this bridge to another one, opened again when it ends. While it stands the other
/// bridge lives. It carries all entries at its beginning, then each change; a key that has not been
/// sent yet waits once, so what waits is never more than the entries, and nothing is dropped.
/// Thread-safe.
final class PeerLink implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PeerLink.class);
  private static final long RETRY_NS = 1_000_000_000L;
  private static final long BEAT_NS = 1_000_000_000L;

  /// Three beats are lost.
  static final long SILENCE_NS = 3_500_000_000L;

  /// Most questions that wait for an answer. An answered call stays for 32 s.
  private static final int OPEN_MAX = 1 << 16;

  /// Receives the beginning and the end of the link.
  interface Watcher {
    void up(PeerLink link);

    void down(PeerLink link);
  }

  private final Peer peer;
  private final ManagedChannel channel;
  private final Supplier<BridgeHello> hello;
  private final Replicas replicas;
  private final Watcher watcher;
  private final Runnable sentMeter;
  private final LongSupplier nanos;
  private volatile Map<Transport, HostPort> addresses = Map.of();
  private volatile boolean isUp; // this and the following are written under this
  private volatile long awaySinceNs;
  private @Nullable ClientCallStreamObserver<BridgeMessage> stream; // guarded by this
  private final LinkedHashSet<Replicas.Key> unsent = new LinkedHashSet<>(); // guarded by this
  private final NavigableMap<Long, List<CompletableFuture<Void>>> waiting = new TreeMap<>();
  private final Map<Long, Exchange> open = new HashMap<>(); // guarded by this
  private long sent;
  private long acknowledged;
  private long lastId;
  private long heardNs;
  private long beatNs;
  private long retryNs;
  private boolean isClosed;
  private String said = "";

  /// @param channel to the other bridge; closed with this object
  /// @param hello first message
  /// @param sentMeter counts an entry that was sent
  PeerLink(
      Peer peer,
      ManagedChannel channel,
      Supplier<BridgeHello> hello,
      Replicas replicas,
      Watcher watcher,
      Runnable sentMeter,
      LongSupplier nanos) {
    this.peer = peer;
    this.channel = channel;
    this.hello = hello;
    this.replicas = replicas;
    this.watcher = watcher;
    this.sentMeter = sentMeter;
    this.nanos = nanos;
    this.retryNs = nanos.getAsLong();
    this.awaySinceNs = retryNs;
  }

  String name() {
    return peer.name();
  }

  /// Returns whether the other bridge lives.
  boolean isUp() {
    return isUp;
  }

  /// Returns the time in ns since the link was lost, or since the start.
  long awayNs() {
    return nanos.getAsLong() - awaySinceNs;
  }

  /// Returns where the other bridge is reached by SIP.
  Optional<HostPort> address(Transport transport) {
    return Optional.ofNullable(addresses.get(transport));
  }

  /// Opens the link again, sends beats, and ends a link that is silent.
  void onClock() {
    long now = nanos.getAsLong();
    boolean dials;
    boolean isSilent;
    synchronized (this) {
      dials = stream == null && !isClosed && now - retryNs >= 0;
      isSilent = stream != null && now - heardNs > SILENCE_NS;
      if (stream != null && isUp && !isSilent && now - beatNs >= BEAT_NS) {
        beatNs = now;
        stream.onNext(BridgeMessage.newBuilder().setBeat(BridgeBeat.getDefaultInstance()).build());
      }
    }
    if (isSilent) {
      end(stream(), "it is silent");
    } else if (dials) {
      dial(now);
    }
  }

  private synchronized @Nullable ClientCallStreamObserver<BridgeMessage> stream() {
    return stream;
  }

  private void dial(long now) {
    Call call = new Call();
    channel.resetConnectBackoff(); // gRPC's own pauses grow to two minutes
    synchronized (this) {
      heardNs = now;
      beatNs = now;
      retryNs = now + RETRY_NS;
      sent = 0;
      acknowledged = 0;
      var unused = BridgesGrpc.newStub(channel).link(call);
      ClientCallStreamObserver<BridgeMessage> begun = call.requests;
      if (begun != null) {
        stream = begun;
        begun.onNext(BridgeMessage.newBuilder().setHello(hello.get()).build());
      }
    }
  }

  private final class Call implements ClientResponseObserver<BridgeMessage, BridgeAnswer> {
    private @Nullable ClientCallStreamObserver<BridgeMessage> requests;

    @Override
    public void beforeStart(ClientCallStreamObserver<BridgeMessage> started) {
      requests = started;
      started.setOnReadyHandler(PeerLink.this::pump);
    }

    @Override
    public void onNext(BridgeAnswer answer) {
      take(answer);
    }

    @Override
    public void onError(Throwable why) {
      end(requests, HandshakeFailure.reason(why));
    }

    @Override
    public void onCompleted() {
      end(requests, "it has ended the call");
    }
  }

  private void take(BridgeAnswer answer) {
    synchronized (this) {
      heardNs = nanos.getAsLong();
    }
    switch (answer.getAnswerCase()) {
      case HELLO -> began(answer.getHello());
      case ACK -> acknowledged(answer.getAck().getEntries());
      case NONCE -> answered(answer.getNonce().getId(), answer);
      case SIP -> answered(answer.getSip().getId(), answer);
      case BEAT, ANSWER_NOT_SET -> {
        // it lives
      }
    }
  }

  private void began(BridgeHello other) {
    Map<Transport, HostPort> told = new HashMap<>();
    for (SipAddress each : other.getAddressesList()) {
      told.put(
          Transport.valueOf(each.getTransport().toUpperCase(Locale.ROOT)),
          new HostPort(each.getHost(), each.getPort()));
    }
    addresses = Map.copyOf(told);
    synchronized (this) {
      if (stream == null) {
        return;
      }
      isUp = true;
      said = "";
      unsent.addAll(replicas.keys(_ -> true));
    }
    LOG.info("bridge {} is linked", peer.name());
    watcher.up(this);
    pump();
  }

  /// Sends changed entries. Called under the locks of tables.
  void changed(Iterable<Replicas.Key> keys) {
    synchronized (this) {
      if (!isUp) {
        return; // the next link begins with all entries
      }
      keys.forEach(unsent::add);
    }
    pump();
  }

  private synchronized void pump() {
    ClientCallStreamObserver<BridgeMessage> to = stream;
    while (to != null && isUp && to.isReady() && !unsent.isEmpty()) {
      replicas
          .get(unsent.removeFirst())
          .ifPresent(entry -> {
            sent++;
            sentMeter.run();
            to.onNext(BridgeMessage.newBuilder().setEntry(entry).build());
          });
    }
  }

  /// Returns a future that completes when the other bridge has all changes until now.
  synchronized CompletableFuture<Void> copied() {
    if (!isUp) {
      return CompletableFuture.failedFuture(new IllegalStateException("not linked"));
    }
    long all = sent + unsent.size();
    if (acknowledged >= all) {
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<Void> done = new CompletableFuture<>();
    waiting.computeIfAbsent(all, _ -> new ArrayList<>()).add(done);
    return done;
  }

  private void acknowledged(long entries) {
    List<CompletableFuture<Void>> done = new ArrayList<>();
    synchronized (this) {
      acknowledged = Math.max(acknowledged, entries);
      NavigableMap<Long, List<CompletableFuture<Void>>> reached =
          waiting.headMap(acknowledged, true);
      reached.values().forEach(done::addAll);
      reached.clear();
    }
    done.forEach(each -> each.complete(null));
  }

  /// Asks the other bridge.
  ///
  /// @param question makes the message from the number that its answers repeat
  /// @return that number; 0 if the link does not stand, or too many questions wait
  long ask(LongFunction<BridgeMessage> question, Exchange exchange) {
    synchronized (this) {
      if (isUp && stream != null && open.size() < OPEN_MAX) {
        long id = ++lastId;
        open.put(id, exchange);
        stream.onNext(question.apply(id));
        return id;
      }
    }
    exchange.onLost();
    return 0;
  }

  /// Sends a message that has no answer.
  synchronized void tell(BridgeMessage message) {
    if (isUp && stream != null) {
      stream.onNext(message);
    }
  }

  /// Ends the wait for answers.
  synchronized void forget(long id) {
    open.remove(id);
  }

  private void answered(long id, BridgeAnswer answer) {
    Exchange exchange;
    synchronized (this) {
      exchange = open.get(id);
    }
    if (exchange != null && exchange.onAnswer(answer)) {
      forget(id);
    }
  }

  private void end(@Nullable ClientCallStreamObserver<BridgeMessage> ended, String why) {
    List<Exchange> lost;
    List<CompletableFuture<Void>> never = new ArrayList<>();
    boolean wasUp;
    synchronized (this) {
      if (ended == null || ended != stream) {
        return;
      }
      stream = null;
      wasUp = isUp;
      isUp = false;
      unsent.clear();
      lost = List.copyOf(open.values());
      open.clear();
      waiting.values().forEach(never::addAll);
      waiting.clear();
      retryNs = nanos.getAsLong() + RETRY_NS;
      if (wasUp) {
        awaySinceNs = nanos.getAsLong();
      }
      if (!said.equals(why) && !isClosed) {
        said = why;
        LOG.warn(
            "bridge {} at {}:{} is away: {}",
            peer.name(),
            peer.host(),
            peer.port(),
            PeerText.printable(why));
      }
    }
    ended.cancel("ended", null);
    never.forEach(each -> each.completeExceptionally(new IllegalStateException("link lost")));
    lost.forEach(Exchange::onLost);
    if (wasUp) {
      watcher.down(this);
    }
  }

  @Override
  public void close() {
    synchronized (this) {
      isClosed = true;
    }
    channel.shutdownNow();
  }
}
