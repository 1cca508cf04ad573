package io.viaduct.bridge.registrar;

import io.viaduct.sip.SipException;
import io.viaduct.sip.SipResponse;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Several flows of one user agent (RFC 5626): a request goes to one flow of an instance at a time,
/// the latest first. A flow that has failed is removed, and the next one gets the request; also if
/// the bridge is away whose socket has the flow, but then the flow stays.
final class InstanceFlows {
  private static final int FLOW_FAILED = 430;

  private InstanceFlows() {}

  /// Returns the contacts that get a request: of each instance with flows the first.
  ///
  /// @param contacts the latest first
  static List<Binding> targets(List<Binding> contacts) {
    Set<String> seen = new HashSet<>();
    List<Binding> targets = new ArrayList<>();
    for (Binding contact : contacts) {
      if (contact.regId() == 0 || seen.add(contact.instance())) {
        targets.add(contact);
      }
    }
    return targets;
  }

  /// Sends to a contact, and to the other flows of its instance while flows fail.
  static CompletableFuture<SipResponse> send(
      Binding first,
      List<Binding> contacts,
      Function<Binding, CompletableFuture<SipResponse>> send,
      Consumer<Binding> failed) {
    return send(first, contacts, send, failed, () -> true);
  }

  /// Sends as above.
  ///
  /// @param contacts all contacts of the user, the latest first
  /// @param send sends to one of them
  /// @param failed receives each flow that has failed
  /// @param mayGoOn whether the next flow may get the request after a failure
  static CompletableFuture<SipResponse> send(
      Binding first,
      List<Binding> contacts,
      Function<Binding, CompletableFuture<SipResponse>> send,
      Consumer<Binding> failed,
      BooleanSupplier mayGoOn) {
    if (first.regId() == 0) {
      return send.apply(first);
    }
    Deque<Binding> flows =
        new ArrayDeque<>(
            contacts.stream()
                .filter(each -> each.regId() != 0 && each.instance().equals(first.instance()))
                .toList());
    return next(flows, send, failed, mayGoOn);
  }

  private static CompletableFuture<SipResponse> next(
      Deque<Binding> flows,
      Function<Binding, CompletableFuture<SipResponse>> send,
      Consumer<Binding> failed,
      BooleanSupplier mayGoOn) {
    Binding flow = flows.remove();
    return send.apply(flow)
        .handle((response, failure) -> {
          boolean isGone = isGone(response, failure);
          if (isGone) {
            failed.accept(flow);
          }
          if ((isGone || isAway(failure)) && !flows.isEmpty() && mayGoOn.getAsBoolean()) {
            return next(flows, send, failed, mayGoOn);
          }
          return response != null
              ? CompletableFuture.completedFuture(response)
              : CompletableFuture.<SipResponse>failedFuture(
                  failure == null ? new IllegalStateException("no answer") : failure);
        })
        .thenCompose(Function.identity());
  }

  private static boolean isGone(@Nullable SipResponse response, @Nullable Throwable failure) {
    return response != null
        ? response.status() == FLOW_FAILED
        : has(failure, SipException.Reason.TRANSPORT);
  }

  private static boolean isAway(@Nullable Throwable failure) {
    return has(failure, SipException.Reason.CLOSED);
  }

  private static boolean has(@Nullable Throwable failure, SipException.Reason reason) {
    Throwable cause = failure instanceof CompletionException wrapped ? wrapped.getCause() : failure;
    return cause instanceof SipException e && e.reason() == reason;
  }
}
