package io.viaduct.bridge.cluster;

import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.viaduct.bridge.directory.PeerIdentity;
import io.viaduct.bridge.directory.SnaptClaims;
import io.viaduct.bridge.replication.Replicas;
import io.viaduct.sip.digest.DigestServer;
import io.viaduct.usage.v1.BridgeAnswer;
import io.viaduct.usage.v1.BridgeBeat;
import io.viaduct.usage.v1.BridgeMessage;
import io.viaduct.usage.v1.BridgesGrpc;
import io.viaduct.usage.v1.EntryAck;
import io.viaduct.usage.v1.NonceUse;
import io.viaduct.usage.v1.NonceVerdict;
import io.viaduct.usage.v1.ReplicaEntry;
import java.security.PublicKey;
import java.util.function.BiPredicate;

/// The gRPC service that the other bridges call. [PeerIdentity] has found that the caller has a
/// certificate of a bridge.
public final class BridgesService extends BridgesGrpc.BridgesImplBase {
  private final Cluster cluster;
  private final Replicas replicas;
  private final DigestServer digest;
  private final SnaptClaims snapts;
  private final ClusterMeters meters;

  BridgesService(
      Cluster cluster,
      Replicas replicas,
      DigestServer digest,
      SnaptClaims snapts,
      ClusterMeters meters) {
    this.cluster = cluster;
    this.replicas = replicas;
    this.digest = digest;
    this.snapts = snapts;
    this.meters = meters;
  }

  /// Returns the service for callers whose certificate has the name of this bridge's own: each
  /// bridge has one, and no SNAPT.
  ///
  /// @param refused called for each other caller
  public ServerServiceDefinition service(Runnable refused) {
    BiPredicate<String, PublicKey> anyKey = (_, _) -> true;
    return ServerInterceptors.intercept(
        this, new PeerIdentity(cluster::isBridge, _ -> false, anyKey, refused));
  }

  @Override
  public StreamObserver<BridgeMessage> link(StreamObserver<BridgeAnswer> answers) {
    return new Link((ServerCallStreamObserver<BridgeAnswer>) answers);
  }

  /// The call of one other bridge. Its messages come one at a time.
  private final class Link implements StreamObserver<BridgeMessage> {
    private final ServerCallStreamObserver<BridgeAnswer> answers;
    private final SipOrders orders;
    private boolean isKnown; // by its hello
    private boolean ended; // guarded by answers
    private long entries;

    Link(ServerCallStreamObserver<BridgeAnswer> answers) {
      this.answers = answers;
      this.orders =
          new SipOrders(
              replicas.self(), result -> answer(BridgeAnswer.newBuilder().setSip(result)));
      answers.setOnCancelHandler(this::onEnd); // so that a late answer does not throw
    }

    private void answer(BridgeAnswer.Builder answer) {
      synchronized (answers) { // results come on many threads
        if (!ended) {
          answers.onNext(answer.build());
        }
      }
    }

    @Override
    public void onNext(BridgeMessage message) {
      if (message.hasHello()) {
        begin(message.getHello().getName());
        return;
      }
      if (!isKnown) {
        refuse(Status.FAILED_PRECONDITION.withDescription("the first message must be hello"));
        return;
      }
      switch (message.getMessageCase()) {
        case ENTRY -> take(message.getEntry());
        case BEAT -> answer(BridgeAnswer.newBuilder().setBeat(BridgeBeat.getDefaultInstance()));
        case NONCE -> use(message.getNonce());
        case SIP -> orders.take(message.getSip(), cluster.endpoint());
        case CANCEL -> orders.cancel(message.getCancel().getId(), message.getCancel().getReason());
        case ORDER -> {
          var unused = snapts.order(message.getOrder().getSnapt(), message.getOrder().getDrain());
        }
        case HELLO, MESSAGE_NOT_SET -> {
          // a message of a later version
        }
      }
    }

    private void begin(String name) {
      if (cluster.isPeer(name) && cluster.endpoint() == null) {
        refuse(Status.UNAVAILABLE.withDescription("it is starting"));
      } else if (cluster.isPeer(name)) {
        isKnown = true;
        answer(BridgeAnswer.newBuilder().setHello(cluster.hello()));
      } else {
        refuse(
            Status.PERMISSION_DENIED.withDescription(
                "bridge '%s' is not in bridges.peers of bridge '%s'"
                    .formatted(name, replicas.self())));
      }
    }

    private void take(ReplicaEntry entry) {
      try {
        meters.received(
            replicas.merge(entry) ? ClusterMeters.Received.TAKEN : ClusterMeters.Received.OLDER);
      } catch (IllegalArgumentException e) {
        meters.received(ClusterMeters.Received.MALFORMED);
      }
      entries++;
      answer(BridgeAnswer.newBuilder().setAck(EntryAck.newBuilder().setEntries(entries)));
    }

    private void use(NonceUse asked) {
      answer(
          BridgeAnswer.newBuilder()
              .setNonce(
                  NonceVerdict.newBuilder()
                      .setId(asked.getId())
                      .setFirst(
                          digest.use(asked.getNonce(), asked.getIssuedMs(), asked.getCount()))));
    }

    private void refuse(Status status) {
      synchronized (answers) {
        if (!ended) {
          ended = true;
          answers.onError(status.asRuntimeException());
        }
      }
      orders.end();
    }

    private void onEnd() {
      synchronized (answers) {
        ended = true;
      }
      orders.end();
    }

    @Override
    public void onError(Throwable cause) {
      onEnd();
    }

    @Override
    public void onCompleted() {
      synchronized (answers) {
        if (!ended) {
          ended = true;
          answers.onCompleted();
        }
      }
      orders.end();
    }
  }
}
