package io.viaduct.sip.invite;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The server transaction of one INVITE (RFC 3261 section 17.2.1, RFC 6026). Thread-safe.
///
/// ```
///            2xx
/// PROCEEDING ────▶ ACCEPTED ── timer L ─────────────────────────▶ ended
///     │ 3xx–6xx                ACK
///     └──────────▶ COMPLETED ──────▶ CONFIRMED ── timer I ───────▶ ended
///                      └────── timer H ──────────────────────────▶ ended
/// ```
public final class InviteServer {
  private enum State {
    PROCEEDING,
    ACCEPTED,
    COMPLETED,
    CONFIRMED
  }

  private final Timers timers;
  private final Consumer<byte[]> writer;
  private final boolean isUnreliable;
  private final Runnable onEnd;
  private @Nullable Runnable onCancel; // from here on guarded by this
  private State state = State.PROCEEDING;
  private byte[] latest = {};

  /// @param writer sends to the sender of the INVITE
  /// @param onEnd runs when the transaction ends
  InviteServer(
      Timers timers,
      Consumer<byte[]> writer,
      boolean isUnreliable,
      Runnable onCancel,
      Runnable onEnd) {
    this.timers = timers;
    this.writer = writer;
    this.isUnreliable = isUnreliable;
    this.onCancel = onCancel;
    this.onEnd = onEnd;
  }

  /// Sends a response, and repeats a refusal over UDP until its ACK comes. Nothing but acceptances
  /// may follow a final response; it is dropped.
  public void answer(byte[] response, int status) {
    synchronized (this) {
      boolean accepts = status >= 200 && status < 300;
      if (state != State.PROCEEDING && !(accepts && state == State.ACCEPTED)) {
        return;
      }
      latest = response;
      if (status >= 200 && state == State.PROCEEDING) {
        onCancel = null;
        state = accepts ? State.ACCEPTED : State.COMPLETED;
        timers.after(Timers.LIFETIME, onEnd); // timers H and L
      }
    }
    writer.accept(response);
    if (status >= 300 && isUnreliable) {
      timers.repeat(Timers.T2, () -> repeat(response)); // timer G
    }
  }

  private boolean repeat(byte[] refusal) {
    synchronized (this) {
      if (state != State.COMPLETED) {
        return false;
      }
    }
    writer.accept(refusal);
    return true;
  }

  /// Ends the repetitions.
  void end() {
    synchronized (this) {
      state = State.CONFIRMED;
    }
  }

  /// Takes a retransmission of the INVITE.
  void onInvite() {
    byte[] again;
    synchronized (this) {
      if (latest.length == 0 || state == State.ACCEPTED || state == State.CONFIRMED) {
        return; // the other end repeats an acceptance itself
      }
      again = latest;
    }
    writer.accept(again);
  }

  /// Takes an ACK with the INVITE's branch.
  ///
  /// @return true if it acknowledges a refusal, and so ends here
  boolean onAck() {
    synchronized (this) {
      if (state == State.COMPLETED) {
        state = State.CONFIRMED;
        timers.after(isUnreliable ? Timers.T4 : Duration.ZERO, onEnd); // timer I
      }
      return state == State.CONFIRMED;
    }
  }

  /// Takes the CANCEL.
  void onCancel() {
    Runnable action;
    synchronized (this) {
      action = onCancel;
      onCancel = null;
    }
    if (action != null) {
      action.run();
    }
  }
}
