package io.viaduct.bridge.call;

import io.viaduct.bridge.registrar.Fork;
import io.viaduct.sip.InviteBranch;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipException;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// An INVITE at one end that it was forwarded to, with Timer C (RFC 3261 sections 16.6 step 11 and
/// 16.8): an end that rings for too long is cancelled.
final class Leg implements Fork.Branch, InviteBranch.Events {
  private final Duration ring;
  private final Consumer<SipResponse> back;
  private final CompletableFuture<SipResponse> answer = new CompletableFuture<>();
  private final CompletableFuture<InviteBranch> branch = new CompletableFuture<>();
  private volatile long progressNs = System.nanoTime();
  private volatile boolean isHeard;

  private Leg(Duration ring, Consumer<SipResponse> back) {
    this.ring = ring;
    this.back = back;
  }

  /// Sends the INVITE.
  ///
  /// @param ring longest time since the last provisional response
  /// @param back takes each provisional response and each acceptance
  static Leg send(
      SipRequest invite,
      SipFlow target,
      String mark,
      RequestSender endpoint,
      Duration ring,
      Consumer<SipResponse> back) {
    Leg leg = new Leg(ring, back);
    leg.branch.complete(endpoint.invite(invite, target, mark, leg));
    leg.watch(ring.toNanos());
    return leg;
  }

  private void watch(long pauseNs) {
    CompletableFuture<Void> timer =
        new CompletableFuture<Void>().completeOnTimeout(null, pauseNs, TimeUnit.NANOSECONDS);
    var ringing = timer.thenRunAsync(this::onTimer);
    var answered = answer.whenComplete((_, _) -> timer.cancel(false));
  }

  private void onTimer() {
    long leftNs = ring.toNanos() - (System.nanoTime() - progressNs);
    if (leftNs <= 0) {
      cancel("");
    } else {
      watch(leftNs);
    }
  }

  @Override
  public void onResponse(SipResponse response) {
    if (!response.isFinal()) {
      isHeard = true;
      progressNs = System.nanoTime();
      if (!answer.isDone()) {
        back.accept(response);
      }
    } else {
      if (response.isSuccess()) {
        back.accept(response);
      }
      answer.complete(response);
    }
  }

  @Override
  public void onFailure(SipException failure) {
    answer.completeExceptionally(failure);
  }

  /// Returns whether a provisional response has come: the user agent has the INVITE.
  boolean isHeard() {
    return isHeard;
  }

  @Override
  public CompletableFuture<SipResponse> answer() {
    return answer;
  }

  @Override
  public void cancel(String reason) {
    var unused = branch.thenAccept(sent -> sent.cancel(reason));
  }
}
