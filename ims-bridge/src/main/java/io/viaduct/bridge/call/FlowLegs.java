package io.viaduct.bridge.call;

import io.viaduct.bridge.registrar.Binding;
import io.viaduct.bridge.registrar.Fork;
import io.viaduct.bridge.registrar.Routing;
import io.viaduct.sip.SipResponse;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The INVITE at one user agent: a [Leg] at its latest flow, and at the next one while flows fail
/// (RFC 5626 section 5.3). After a provisional response no other flow gets the INVITE, because the
/// user agent has it and would see it twice (RFC 3261 section 8.2.2.2). Thread-safe.
final class FlowLegs implements Fork.Branch {
  private final CompletableFuture<SipResponse> answer = new CompletableFuture<>();
  private @Nullable Leg current; // from here on guarded by this
  private @Nullable String cancelled; // the reason

  private FlowLegs() {}

  /// Sends the INVITE.
  ///
  /// @param send sends it to one flow
  static FlowLegs ring(
      Binding contact, Routing.Next.To to, Function<Binding, Leg> send, Routing routing) {
    FlowLegs legs = new FlowLegs();
    var unused =
        routing
            .byFlows(contact, to, flow -> legs.begin(send.apply(flow)), legs::mayGoOn)
            .whenComplete((response, failure) -> {
              if (response != null) {
                legs.answer.complete(response);
              } else {
                legs.answer.completeExceptionally(failure);
              }
            });
    return legs;
  }

  private CompletableFuture<SipResponse> begin(Leg leg) {
    String reason;
    synchronized (this) {
      current = leg;
      reason = cancelled;
    }
    if (reason != null) {
      leg.cancel(reason);
    }
    return leg.answer();
  }

  private synchronized boolean mayGoOn() {
    return cancelled == null && (current == null || !current.isHeard());
  }

  @Override
  public CompletableFuture<SipResponse> answer() {
    return answer;
  }

  @Override
  public void cancel(String reason) {
    Leg leg;
    synchronized (this) {
      cancelled = reason;
      leg = current;
    }
    if (leg != null) {
      leg.cancel(reason);
    }
  }
}
