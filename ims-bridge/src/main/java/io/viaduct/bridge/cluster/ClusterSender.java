package io.viaduct.bridge.cluster;

import io.viaduct.bridge.cluster.ClusterMeters.Pass;
import io.viaduct.bridge.replication.FlowText;
import io.viaduct.sip.HostPort;
import io.viaduct.sip.InviteBranch;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipException;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import io.viaduct.sip.stun.StunMessage;
import io.viaduct.usage.v1.BridgeAnswer;
import io.viaduct.usage.v1.BridgeMessage;
import io.viaduct.usage.v1.SipFailure;
import io.viaduct.usage.v1.SipOrder;
import io.viaduct.usage.v1.SipOrderKind;
import io.viaduct.usage.v1.SipResult;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/// Sends requests by the flows of all bridges: by its own endpoint, or by the bridge whose socket
/// has the flow. If that bridge is away, a UDP address is tried from here, and so is TCP, which a
/// server of a core accepts; over TLS and WebSocket only the peer opens connections. Thread-safe.
final class ClusterSender implements RequestSender {
  private final String self;
  private final RequestSender endpoint;
  private final Function<String, Optional<PeerLink>> links;
  private final ClusterMeters meters;

  /// @param self name of this bridge
  /// @param links returns the link with a bridge that lives
  ClusterSender(
      String self,
      RequestSender endpoint,
      Function<String, Optional<PeerLink>> links,
      ClusterMeters meters) {
    this.self = self;
    this.endpoint = endpoint;
    this.links = links;
    this.meters = meters;
  }

  private static boolean isReachedByAll(SipFlow target) {
    return target.transport() == Transport.UDP || target.transport() == Transport.TCP;
  }

  private static SipException away(SipFlow target) {
    return new SipException(
        SipException.Reason.CLOSED, "bridge " + target.owner() + ", which has the flow, is away");
  }

  @Override
  public CompletableFuture<SipResponse> send(SipRequest request, SipFlow target, String mark) {
    if (target.owner().isEmpty()) {
      return endpoint.send(request, target, mark);
    }
    Optional<PeerLink> owner = links.apply(target.owner());
    if (owner.isEmpty()) {
      return direct(request, target, mark);
    }
    meters.passed(Pass.OWNER);
    CompletableFuture<SipResponse> answer = new CompletableFuture<>();
    CompletableFuture<Void> lost = new CompletableFuture<>();
    owner
        .get()
        .ask(
            id -> order(id, SipOrderKind.REQUEST, request, target, mark),
            new Exchange() {
              @Override
              public boolean onAnswer(BridgeAnswer result) {
                SipResult sip = result.getSip();
                if (sip.getStatus() != 0) {
                  answer.complete(SipText.response(sip));
                } else if (sip.getFailure() == SipFailure.CLOSED) {
                  onLost(); // it is stopping
                } else {
                  answer.completeExceptionally(SipText.failure(sip));
                }
                return true;
              }

              @Override
              public void onLost() {
                lost.complete(null);
              }
            });
    // The owner has gone, and may or may not have sent the request: it is sent again.
    var unused =
        lost.thenCompose(_ -> direct(request, target, mark))
            .whenComplete((response, failure) -> {
              if (response != null) {
                answer.complete(response);
              } else {
                answer.completeExceptionally(SipOrders.cause(failure));
              }
            });
    return answer;
  }

  private CompletableFuture<SipResponse> direct(SipRequest request, SipFlow target, String mark) {
    if (isReachedByAll(target)) {
      meters.passed(Pass.DIRECT);
      return endpoint.send(request, target.of(""), mark);
    }
    meters.passed(Pass.AWAY);
    return CompletableFuture.failedFuture(away(target));
  }

  private BridgeMessage order(
      long id, SipOrderKind kind, SipRequest request, SipFlow target, String mark) {
    SipOrder.Builder order =
        SipText.order(request)
            .setId(id)
            .setKind(kind)
            .setFlow(FlowText.write(target, self))
            .setMark(mark);
    return BridgeMessage.newBuilder().setSip(order).build();
  }

  @Override
  public InviteBranch invite(
      SipRequest request, SipFlow target, String mark, InviteBranch.Events events) {
    if (target.owner().isEmpty()) {
      return endpoint.invite(request, target, mark, events);
    }
    Optional<PeerLink> owner = links.apply(target.owner());
    if (owner.isEmpty()) {
      return directly(request, target, mark, events);
    }
    meters.passed(Pass.OWNER);
    PassedInvite passed =
        new PassedInvite(
            owner.get(), events, () -> directly(request, target, mark, events), away(target));
    passed.begin(id -> order(id, SipOrderKind.INVITE, request, target, mark));
    return passed;
  }

  private InviteBranch directly(
      SipRequest request, SipFlow target, String mark, InviteBranch.Events events) {
    if (isReachedByAll(target)) {
      meters.passed(Pass.DIRECT);
      return endpoint.invite(request, target.of(""), mark, events);
    }
    meters.passed(Pass.AWAY);
    events.onFailure(away(target));
    return InviteBranch.NONE;
  }

  @Override
  public void sendAck(SipRequest ack, SipFlow target) {
    Optional<PeerLink> owner = links.apply(target.owner());
    if (owner.isPresent()) {
      meters.passed(Pass.OWNER);
      owner.get().tell(order(0, SipOrderKind.ACK, ack, target, ""));
    } else if (target.owner().isEmpty()) {
      endpoint.sendAck(ack, target);
    } else if (isReachedByAll(target)) {
      meters.passed(Pass.DIRECT);
      endpoint.sendAck(ack, target.of(""));
    } else {
      meters.passed(Pass.AWAY);
    }
  }

  @Override
  public CompletableFuture<StunMessage.Success> keepAlive(SipFlow target) {
    return endpoint.keepAlive(target.of(""));
  }

  @Override
  public HostPort sentBy(SipFlow target) {
    return links
        .apply(target.owner())
        .flatMap(owner -> owner.address(target.transport()))
        .orElseGet(() -> endpoint.sentBy(target.of("")));
  }

  @Override
  public boolean isConnected(SipFlow target) {
    return target.owner().isEmpty()
        ? endpoint.isConnected(target)
        : links.apply(target.owner()).isPresent() || isReachedByAll(target);
  }

  @Override
  public Optional<String> peerName(SipFlow target) {
    return target.owner().isEmpty() ? endpoint.peerName(target) : Optional.empty();
  }

  @Override
  public void disconnect(SipFlow target) {
    if (target.owner().isEmpty()) {
      endpoint.disconnect(target);
    }
  }
}
