package io.viaduct.bridge.cluster;

import io.viaduct.sip.InviteBranch;
import io.viaduct.sip.SipException;
import io.viaduct.sip.SipResponse;
import io.viaduct.usage.v1.BridgeAnswer;
import io.viaduct.usage.v1.BridgeMessage;
import io.viaduct.usage.v1.SipCancel;
import io.viaduct.usage.v1.SipFailure;
import io.viaduct.usage.v1.SipResult;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/// An INVITE that another bridge sends by its flow. If that bridge is lost before a response has
/// come, the INVITE is sent in another way; after it, the INVITE has failed. Thread-safe.
final class PassedInvite implements InviteBranch, Exchange {
  private enum State {
    CALLING,
    PROCEEDING,
    FINAL
  }

  private final PeerLink owner;
  private final Events events;
  private final Supplier<InviteBranch> otherWay;
  private final SipException away;
  private State state = State.CALLING; // from here on guarded by this
  private InviteBranch other = InviteBranch.NONE;
  private boolean isCancelled;
  private String reason = "";
  private long id;

  /// @param otherWay sends the INVITE without that bridge
  /// @param away the failure if that bridge is lost later
  PassedInvite(PeerLink owner, Events events, Supplier<InviteBranch> otherWay, SipException away) {
    this.owner = owner;
    this.events = events;
    this.otherWay = otherWay;
    this.away = away;
  }

  void begin(LongFunction<BridgeMessage> order) {
    long number = owner.ask(order, this);
    boolean cancels;
    synchronized (this) {
      id = number;
      cancels = isCancelled;
    }
    if (cancels) {
      tellCancel();
    }
  }

  @Override
  public boolean onAnswer(BridgeAnswer answer) {
    SipResult result = answer.getSip();
    if (result.getFailure() == SipFailure.CLOSED) {
      onLost(); // that bridge is stopping
      return true;
    }
    boolean isFailure = result.getStatus() == 0;
    boolean isFinal = isFailure || result.getStatus() >= 200;
    boolean isFirst;
    synchronized (this) {
      isFirst = state != State.FINAL;
      state = isFinal || !isFirst ? State.FINAL : State.PROCEEDING;
    }
    if (isFailure) {
      events.onFailure(SipText.failure(result));
      return true;
    }
    SipResponse response = SipText.response(result);
    events.onResponse(response);
    if (response.isSuccess() && isFirst) {
      SipOrders.afterRepeats(() -> owner.forget(number()));
    }
    return isFinal && !response.isSuccess();
  }

  private synchronized long number() {
    return id;
  }

  @Override
  public void onLost() {
    State then;
    synchronized (this) {
      then = state;
      state = State.FINAL;
    }
    switch (then) {
      case CALLING -> sendOtherwise();
      case PROCEEDING -> events.onFailure(away);
      case FINAL -> {
        // it has been answered
      }
    }
  }

  private void sendOtherwise() {
    InviteBranch sent = otherWay.get();
    boolean cancels;
    synchronized (this) {
      other = sent;
      cancels = isCancelled;
    }
    if (cancels) {
      sent.cancel(reason);
    }
  }

  @Override
  public void cancel(String why) {
    InviteBranch sent;
    synchronized (this) {
      isCancelled = true;
      reason = why;
      sent = other;
    }
    sent.cancel(why);
    tellCancel();
  }

  private void tellCancel() {
    long number;
    String why;
    synchronized (this) {
      number = id;
      why = reason;
    }
    if (number != 0) {
      owner.tell(
          BridgeMessage.newBuilder()
              .setCancel(SipCancel.newBuilder().setId(number).setReason(why))
              .build());
    }
  }
}
