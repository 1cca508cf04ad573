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

  /// @param writer sends to the sender of the INVITE, and does not wait: it runs under the lock, so
  ///   that the responses leave in the order in which they were accepted
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
      writer.accept(response);
    }
    if (status >= 300 && isUnreliable) {
      timers.repeat(Timers.T2, () -> repeat(response)); // timer G
    }
  }

  private synchronized boolean repeat(byte[] refusal) {
    if (state != State.COMPLETED) {
      return false;
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
  synchronized void onInvite() {
    boolean isSilent = state == State.ACCEPTED || state == State.CONFIRMED;
    if (latest.length > 0 && !isSilent) { // the other end repeats an acceptance itself
      writer.accept(latest);
    }
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
