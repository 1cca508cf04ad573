package io.viaduct.sip.invite;

import io.viaduct.sip.InviteBranch;
import io.viaduct.sip.SipException;
import io.viaduct.sip.SipException.Reason;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.transport.SipSockets;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The client transaction of one INVITE, and of its CANCEL. Thread-safe.
///
/// ```
///             1xx               2xx
/// CALLING ─────────▶ PROCEEDING ────▶ ACCEPTED ── 64*T1 ──▶ ENDED
///    │ timer B            │ 3xx–6xx
///    └──────▶ ENDED ◀──── COMPLETED ── timer D ──▶ ENDED
/// ```
final class InviteClient implements InviteBranch {
  private enum State {
    CALLING,
    PROCEEDING,
    ACCEPTED,
    COMPLETED,
    ENDED
  }

  private final SipRequest invite;
  private final SipFlow flow;
  private final SipSockets sockets;
  private final Timers timers;
  private final Events events;
  private final Runnable onEnd;
  private State state = State.CALLING; // from here on guarded by this
  private @Nullable SipRequest cancel;
  private boolean isCancelled;
  private boolean isCancelAnswered;
  private byte[] ack = {};

  /// @param invite with the Via of this transaction
  /// @param onEnd runs when the transaction ends
  InviteClient(
      SipRequest invite,
      SipFlow flow,
      SipSockets sockets,
      Timers timers,
      Events events,
      Runnable onEnd) {
    this.invite = invite;
    this.flow = flow;
    this.sockets = sockets;
    this.timers = timers;
    this.events = events;
    this.onEnd = onEnd;
  }

  /// Sends the INVITE. May block on a TCP connect.
  void begin() {
    byte[] bytes = invite.encode();
    try {
      sockets.connect(flow);
      sockets.write(flow, bytes);
    } catch (IOException e) {
      fail(Reason.TRANSPORT, "cannot send INVITE to " + flow);
      return;
    }
    if (isUnreliable()) {
      timers.repeat(Timers.LIFETIME, () -> is(State.CALLING) && write(bytes)); // timer A
    }
    timers.after(
        Timers.LIFETIME,
        () -> {
          if (is(State.CALLING)) { // timer B
            fail(Reason.TIMEOUT, "no response to INVITE");
          }
        });
  }

  private boolean isUnreliable() {
    return !flow.transport().isReliable();
  }

  private synchronized boolean is(State expected) {
    return state == expected;
  }

  private boolean write(byte[] bytes) {
    try {
      sockets.write(flow, bytes);
      return true;
    } catch (IOException e) {
      return false; // the connection has gone; a timer ends the transaction
    }
  }

  private void fail(Reason reason, String why) {
    synchronized (this) {
      if (state != State.CALLING && state != State.PROCEEDING) {
        return;
      }
      state = State.ENDED;
    }
    onEnd.run();
    events.onFailure(new SipException(reason, why));
  }

  private void endAfter(Duration time) {
    timers.after(
        time,
        () -> {
          synchronized (this) {
            state = State.ENDED;
          }
          onEnd.run();
        });
  }

  /// Takes a response to the INVITE or to its CANCEL.
  ///
  /// @param bare the response without the Via of this transaction
  void receive(SipResponse bare) {
    if (bare.method().equals("CANCEL")) {
      synchronized (this) {
        isCancelAnswered = true;
      }
    } else if (!bare.isFinal()) {
      onProvisional(bare);
    } else if (bare.isSuccess()) {
      onAcceptance(bare);
    } else {
      onRefusal(bare);
    }
  }

  private void onProvisional(SipResponse response) {
    SipRequest waiting;
    synchronized (this) {
      if (state != State.CALLING && state != State.PROCEEDING) {
        return;
      }
      state = State.PROCEEDING;
      waiting = cancel;
    }
    if (waiting != null) {
      send(waiting);
    }
    if (response.status() > 100) {
      events.onResponse(response);
    }
  }

  private void onAcceptance(SipResponse response) {
    synchronized (this) {
      if (state == State.COMPLETED || state == State.ENDED) {
        return;
      }
      if (state != State.ACCEPTED) {
        state = State.ACCEPTED;
        endAfter(Timers.LIFETIME); // timer M
      }
    }
    events.onResponse(response);
  }

  private void onRefusal(SipResponse response) {
    byte[] acknowledgement;
    boolean isFirst;
    synchronized (this) {
      if (state == State.ACCEPTED || state == State.ENDED) {
        return;
      }
      isFirst = state != State.COMPLETED;
      if (isFirst) {
        state = State.COMPLETED;
        ack = InviteRequests.ack(invite, response).encode();
        endAfter(isUnreliable() ? Timers.LIFETIME : Duration.ZERO); // timer D
      }
      acknowledgement = ack;
    }
    write(acknowledgement);
    if (isFirst) {
      events.onResponse(response);
    }
  }

  @Override
  public void cancel(String reason) {
    SipRequest now;
    synchronized (this) {
      if (cancel != null || (state != State.CALLING && state != State.PROCEEDING)) {
        return;
      }
      now = InviteRequests.cancel(invite, reason);
      cancel = now;
      if (state == State.CALLING) {
        return; // nothing may be cancelled that has not answered (RFC 3261 section 9.1)
      }
    }
    send(now);
  }

  /// Sends the CANCEL, and gives up a target that answers neither it nor the INVITE.
  private void send(SipRequest request) {
    synchronized (this) {
      if (isCancelled) {
        return;
      }
      isCancelled = true;
    }
    byte[] bytes = request.encode();
    if (write(bytes) && isUnreliable()) {
      timers.repeat(Timers.T2, () -> isCancelOpen() && write(bytes)); // timer E
    }
    timers.after(Timers.LIFETIME, () -> fail(Reason.TIMEOUT, "no response to CANCEL"));
  }

  private synchronized boolean isCancelOpen() {
    return !isCancelAnswered && state == State.PROCEEDING;
  }
}
