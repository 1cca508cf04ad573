package io.viaduct.bridge.cluster;

import io.viaduct.bridge.replication.FlowText;
import io.viaduct.sip.InviteBranch;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipException;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.usage.v1.SipOrder;
import io.viaduct.usage.v1.SipResult;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Sends requests of one other bridge by flows of this one, and returns the responses. Thread-safe.
final class SipOrders {
  /// Acceptances of an INVITE may repeat for 64*T1 (RFC 6026).
  static final long REPEATS_SECONDS = 32;

  /// Most INVITEs of the other bridge at a time.
  private static final int INVITES_MAX = 4096;

  private final String self;
  private final Consumer<SipResult> results;
  private final Map<Long, CompletableFuture<InviteBranch>> invites = new HashMap<>();

  /// @param self name of this bridge
  /// @param results takes the results
  SipOrders(String self, Consumer<SipResult> results) {
    this.self = self;
    this.results = results;
  }

  /// Carries out an order.
  ///
  /// @param endpoint null while the SIP listener is closed
  void take(SipOrder order, @Nullable RequestSender endpoint) {
    SipRequest request;
    SipFlow flow;
    try {
      request = SipText.request(order);
      flow = FlowText.read(order.getFlow(), self);
    } catch (IllegalArgumentException e) {
      fail(order, SipException.Reason.INVALID, String.valueOf(e.getMessage()));
      return;
    }
    if (endpoint == null || !flow.owner().isEmpty()) {
      fail(order, SipException.Reason.CLOSED, "this bridge does not have the flow");
      return;
    }
    switch (order.getKind()) {
      case REQUEST -> send(order, request, flow, endpoint);
      case INVITE -> invite(order, request, flow, endpoint);
      case ACK -> endpoint.sendAck(request, flow);
      case SIP_ORDER_KIND_UNSPECIFIED, UNRECOGNIZED ->
          fail(order, SipException.Reason.INVALID, "an order of a kind that is not known here");
    }
  }

  private void fail(SipOrder order, SipException.Reason reason, String why) {
    failed(order.getId(), new SipException(reason, why));
  }

  private void failed(long id, SipException failure) {
    results.accept(SipText.failure(failure).setId(id).build());
  }

  private void answered(long id, SipResponse response) {
    results.accept(SipText.result(response).setId(id).build());
  }

  private void send(SipOrder order, SipRequest request, SipFlow flow, RequestSender endpoint) {
    var unused =
        endpoint
            .send(request, flow, order.getMark())
            .whenComplete((response, failure) -> {
              if (response != null) {
                answered(order.getId(), response);
              } else {
                failed(order.getId(), cause(failure));
              }
            });
  }

  /// Returns the reason for which a request has no response.
  static SipException cause(@Nullable Throwable failure) {
    Throwable cause = failure instanceof CompletionException wrapped ? wrapped.getCause() : failure;
    return cause instanceof SipException known
        ? known
        : new SipException(SipException.Reason.CLOSED, String.valueOf(cause));
  }

  private void invite(SipOrder order, SipRequest request, SipFlow flow, RequestSender endpoint) {
    CompletableFuture<InviteBranch> branch = new CompletableFuture<>();
    synchronized (invites) {
      if (invites.size() >= INVITES_MAX) {
        fail(order, SipException.Reason.OVERLOAD, INVITES_MAX + " INVITEs are open already");
        return;
      }
      invites.put(order.getId(), branch);
    }
    branch.complete(
        endpoint.invite(
            request,
            flow,
            order.getMark(),
            new InviteBranch.Events() {
              @Override
              public void onResponse(SipResponse response) {
                if (response.isFinal()) {
                  forget(order.getId());
                }
                answered(order.getId(), response);
              }

              @Override
              public void onFailure(SipException failure) {
                forget(order.getId());
                failed(order.getId(), failure);
              }
            }));
  }

  private void forget(long id) {
    synchronized (invites) {
      invites.remove(id);
    }
  }

  /// Cancels an INVITE, if it has no final response yet.
  void cancel(long id, String reason) {
    CompletableFuture<InviteBranch> branch;
    synchronized (invites) {
      branch = invites.get(id);
    }
    if (branch != null) {
      var unused = branch.thenAccept(sent -> sent.cancel(reason));
    }
  }

  /// Cancels what still rings: the caller's bridge has gone, and its transactions with it.
  void end() {
    List<CompletableFuture<InviteBranch>> ringing;
    synchronized (invites) {
      ringing = new ArrayList<>(invites.values());
      invites.clear();
    }
    ringing.forEach(each -> {
      var unused = each.thenAccept(sent -> sent.cancel(""));
    });
  }

  /// Runs an action when no further acceptance can come.
  static void afterRepeats(Runnable action) {
    CompletableFuture.delayedExecutor(REPEATS_SECONDS, TimeUnit.SECONDS).execute(action);
  }
}
