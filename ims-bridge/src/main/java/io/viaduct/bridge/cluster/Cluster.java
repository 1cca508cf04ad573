package io.viaduct.bridge.cluster;

import io.grpc.ManagedChannel;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.bridge.configuration.BridgesSettings;
import io.viaduct.bridge.configuration.BridgesSettings.Peer;
import io.viaduct.bridge.replication.Duty;
import io.viaduct.bridge.replication.Replicas;
import io.viaduct.sip.HostPort;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.Transport;
import io.viaduct.sip.digest.NonceIssuer;
import io.viaduct.usage.v1.BridgeAnswer;
import io.viaduct.usage.v1.BridgeHello;
import io.viaduct.usage.v1.BridgeMessage;
import io.viaduct.usage.v1.DrainOrder;
import io.viaduct.usage.v1.NonceUse;
import io.viaduct.usage.v1.ReplicaKind;
import io.viaduct.usage.v1.SipAddress;
import io.viaduct.usage.v1.SnaptOrder;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The other bridges of the domain, with a [PeerLink] to each. Thread-safe. A bridge without others
/// has no link, and everything is its own.
public final class Cluster implements Duty, NonceIssuer.Others, AutoCloseable {
  /// A bridge is away for so long before another one acts for it: time for a restart.
  static final long GRACE_NS = TimeUnit.SECONDS.toNanos(3);

  /// The users of a bridge that is away are taken over within this time, so that their NOTIFYs do
  /// not leave all at once.
  static final long SPREAD_NS = TimeUnit.SECONDS.toNanos(30);

  /// Time in which a look at all users has found those that were taken over last.
  private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(10);

  private static final Duration NONCE_PATIENCE = Duration.ofMillis(500);

  /// Longest wait until another bridge has a copy of a registration.
  private static final Duration COPY_PATIENCE = Duration.ofMillis(200);

  private final String self;
  private final String certificateName;
  private final Map<String, PeerLink> links = new LinkedHashMap<>();
  private final Map<Integer, PeerLink> byNonceId = new LinkedHashMap<>();
  private final ClusterMeters meters;
  private final Replicas replicas;
  private volatile @Nullable RequestSender endpoint;
  private volatile BridgeHello hello = BridgeHello.getDefaultInstance();

  /// @param certificateName common name of this bridge's certificate, which the others have too
  /// @param channels opens the channel to a bridge
  /// @param nanos monotonic time in ns
  Cluster(
      BridgesSettings bridges,
      String certificateName,
      Replicas replicas,
      Function<Peer, ManagedChannel> channels,
      ClusterMeters meters,
      MeterRegistry registry,
      LongSupplier nanos) {
    this.self = bridges.name();
    this.certificateName = certificateName;
    this.meters = meters;
    this.replicas = replicas;
    PeerLink.Watcher watcher =
        new PeerLink.Watcher() {
          @Override
          public void up(PeerLink link) {
            // it gets all entries
          }

          @Override
          public void down(PeerLink link) {
            spread(link.name());
          }
        };
    for (Peer peer : bridges.peers()) {
      PeerLink link =
          new PeerLink(
              peer, channels.apply(peer), this::hello, replicas, watcher, meters::sent, nanos);
      links.put(peer.name(), link);
      byNonceId.put(BridgesSettings.nonceId(peer.name()), link);
    }
    if (!links.isEmpty()) {
      replicas.watch(key -> links.values().forEach(link -> link.changed(List.of(key))));
    }
    Gauge.builder("viaduct_bridge_peers", this, all -> all.count(true))
        .description("Other bridges, by whether this one has a link with them")
        .tag("state", "linked")
        .register(registry);
    Gauge.builder("viaduct_bridge_peers", this, all -> all.count(false))
        .description("Other bridges, by whether this one has a link with them")
        .tag("state", "away")
        .register(registry);
  }

  private long count(boolean isUp) {
    return links.values().stream().filter(link -> link.isUp() == isUp).count();
  }

  /// Tells the others what a bridge has written that is away now: it may not have told all of them.
  private void spread(String gone) {
    List<Replicas.Key> keys = replicas.keys(gone::equals);
    links.values().forEach(link -> link.changed(keys));
  }

  /// Begins to link, and returns a sender that reaches the flows of all bridges.
  ///
  /// @param opened endpoint of this bridge's own flows
  /// @param addresses where it is reached
  public RequestSender attach(RequestSender opened, Map<Transport, HostPort> addresses) {
    BridgeHello.Builder told = BridgeHello.newBuilder().setName(self);
    addresses.forEach((transport, at) ->
        told.addAddresses(
            SipAddress.newBuilder()
                .setTransport(transport.parameter())
                .setHost(at.host())
                .setPort(at.port())));
    hello = told.build();
    endpoint = opened;
    onClock();
    return new ClusterSender(self, opened, this::link, meters);
  }

  BridgeHello hello() {
    return hello;
  }

  @Nullable RequestSender endpoint() {
    return endpoint;
  }

  boolean isPeer(String name) {
    return links.containsKey(name);
  }

  /// Returns whether a certificate of this name belongs to a bridge of the domain.
  boolean isBridge(String commonName) {
    return !links.isEmpty() && commonName.equals(certificateName);
  }

  private Optional<PeerLink> link(String name) {
    return Optional.ofNullable(links.get(name)).filter(PeerLink::isUp);
  }

  /// Opens links again, and sends beats; to be called a few times a second.
  public void onClock() {
    if (endpoint != null) {
      links.values().forEach(PeerLink::onClock);
    }
  }

  @Override
  public boolean isOurs(SipFlow flow, String key) {
    if (flow.owner().isEmpty()) {
      return true;
    }
    PeerLink owner = links.get(flow.owner());
    if (owner == null || owner.isUp() || flow.transport() != Transport.UDP) {
      return false; // by the connections of another bridge nobody else can send
    }
    long spreadNs = Math.floorMod(key.hashCode() * 0x9E3779B97F4A7C15L, SPREAD_NS);
    return owner.awayNs() >= GRACE_NS + spreadNs && isFirst(key);
  }

  @Override
  public boolean isMoving() {
    return links.values().stream()
        .anyMatch(link -> !link.isUp() && link.awayNs() < GRACE_NS + SPREAD_NS + LOOK_NS);
  }

  // Rendezvous hashing: each living bridge gets its part, and all agree without a word.
  private boolean isFirst(String key) {
    long own = rank(self, key);
    for (PeerLink link : links.values()) {
      if (link.isUp() && rank(link.name(), key) > own) {
        return false;
      }
    }
    return true;
  }

  private static long rank(String bridge, String key) {
    long mixed = (bridge.hashCode() * 31L + key.hashCode()) * 0x9E3779B97F4A7C15L;
    return (mixed ^ mixed >>> 32) * 0xBF58476D1CE4E5B9L;
  }

  @Override
  public Optional<Boolean> use(int issuer, String nonce, long issuedMs, long count) {
    PeerLink link = byNonceId.get(issuer);
    if (link == null) {
      return Optional.empty();
    }
    CompletableFuture<Optional<Boolean>> verdict = new CompletableFuture<>();
    long id =
        link.ask(
            number ->
                BridgeMessage.newBuilder()
                    .setNonce(
                        NonceUse.newBuilder()
                            .setId(number)
                            .setNonce(nonce)
                            .setIssuedMs(issuedMs)
                            .setCount(count))
                    .build(),
            new Exchange() {
              @Override
              public boolean onAnswer(BridgeAnswer answer) {
                verdict.complete(Optional.of(answer.getNonce().getFirst()));
                return true;
              }

              @Override
              public void onLost() {
                verdict.complete(Optional.empty());
              }
            });
    try {
      return verdict.get(NONCE_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      link.forget(id);
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  /// Waits until another bridge has a copy of all changes until now: then they survive this one.
  /// Waits for a moment only, and not at all without another bridge.
  public void awaitCopy() {
    if (links.isEmpty()) {
      return;
    }
    CompletableFuture<?>[] copies =
        links.values().stream()
            .filter(PeerLink::isUp)
            .map(PeerLink::copied)
            .toArray(CompletableFuture<?>[]::new);
    if (copies.length == 0) {
      meters.copied(ClusterMeters.Copy.ALONE);
      return;
    }
    try {
      CompletableFuture.anyOf(copies).get(COPY_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      meters.copied(ClusterMeters.Copy.COPIED);
    } catch (TimeoutException | ExecutionException e) {
      meters.copied(ClusterMeters.Copy.LATE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// Passes an operator's order to the bridge that a SNAPT has announced itself to.
  ///
  /// @return false if no living bridge knows the SNAPT
  public boolean order(String snapt, DrainOrder order) {
    Optional<PeerLink> link =
        replicas
            .get(new Replicas.Key(ReplicaKind.SNAPT, snapt))
            .filter(entry -> !Replicas.isRemoval(entry))
            .flatMap(entry -> link(entry.getOrigin()));
    link.ifPresent(to ->
        to.tell(
            BridgeMessage.newBuilder()
                .setOrder(SnaptOrder.newBuilder().setSnapt(snapt).setDrain(order))
                .build()));
    return link.isPresent();
  }

  @Override
  public void close() {
    links.values().forEach(PeerLink::close);
  }
}
