package io.viaduct.snapt.control;

import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.snapt.binding.Session;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.IntervalBoundary;
import io.viaduct.tunnel.control.v1.KeepAlive;
import io.viaduct.tunnel.control.v1.ReceiptAnswer;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.tunnel.control.v1.TokenUpdate;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Enforces the receipts of one connection's device. Requests a receipt for each interval, and
/// sends a KeepAlive to check that the device is alive. Accepts a newer token only after all
/// requests are answered. Lets the device sign its last interval before the connection closes. Ends
/// the session if the device signs nothing. Called on the control thread.
final class ReceiptKeeper {
  private static final Logger LOG = LoggerFactory.getLogger(ReceiptKeeper.class);

  // A device answers at once, or after a second if packets of the interval are still in flight.
  private static final long ANSWER_MS = 2_000;

  private final ControlConnection connection;
  private final Session session;
  private final ReceiptDialog dialog;
  // A newer token that arrived before all requests were answered.
  private @Nullable TokenUpdate held;
  private long dueNumber;
  private ReceiptDialog.@Nullable Interval due;
  private boolean leaving;
  private String goodbye = "";
  private boolean lastAsked;

  ReceiptKeeper(ControlConnection connection, Session session, ReceiptDialog dialog) {
    this.connection = connection;
    this.session = session;
    this.dialog = dialog;
  }

  /// Requests the receipts that the device owes from earlier sessions and connections.
  void owed(List<IntervalBoundary> boundaries) {
    dialog.owed(boundaries);
    settle();
  }

  /// Requests the receipt of an interval that has ended.
  ///
  /// @param of the session of the interval: the present one, or an earlier one of the same device
  /// @param last true if that session ended with this interval
  void ask(UUID of, List<IntervalBoundary> boundaries, boolean last) {
    ReceiptDialog.Interval asked = dialog.ask(of.toString(), boundaries);
    if (of.equals(session.id())) {
      lastAsked |= last;
      if (!boundaries.isEmpty()) {
        connection.later(ANSWER_MS, TimeUnit.MILLISECONDS, () -> askWhetherItIsThere(asked));
      }
    }
    settle();
  }

  // The answers arrive in order: this one follows the answers to all earlier requests.
  private void askWhetherItIsThere(ReceiptDialog.Interval asked) {
    if (!dialog.isSettled() && !connection.hasEnded()) {
      due = asked;
      dueNumber = connection.nextKeepAlive();
      connection.send(
          ControlMessage.newBuilder().setKeepAlive(KeepAlive.newBuilder().setNumber(dueNumber)));
    }
  }

  /// Handles the answer to a KeepAlive, which proves that the device is alive.
  void alive(long number) {
    ReceiptDialog.Interval asked = due;
    if (asked != null && number == dueNumber) {
      due = null;
      dialog.due(asked);
      settle();
    }
  }

  /// Handles a receipt or a refusal of the device.
  ///
  /// @throws InvalidProtocolBufferException if it is not a valid answer
  void answered(ReceiptAnswer answer) throws InvalidProtocolBufferException {
    dialog.answer(answer);
    settle();
    TokenUpdate update = held;
    if (update != null && dialog.isSettled() && !connection.hasEnded()) {
      held = null;
      connection.take(update);
    }
  }

  /// Keeps a newer token back until all requests are answered.
  ///
  /// @return false if all requests are answered; the caller must then process the token
  boolean holds(TokenUpdate update) {
    if (dialog.isSettled()) {
      return false;
    }
    held = update;
    return true;
  }

  private void settle() {
    String owed = dialog.takeOwed();
    if (!owed.isEmpty()) {
      LOG.info("{}: its device has answered for earlier sessions: {}", session, owed);
    }
    if (dialog.isExhausted() && !leaving) {
      connection.refuse(
          RefusalCode.RECEIPTS_OWED,
          ReceiptDialog.UNSIGNED_MAX + " intervals in a row are not signed: " + dialog.why());
      connection.cut(session);
    } else if (leaving && lastAsked && dialog.isSettled()) {
      connection.goodbye(goodbye);
    }
  }

  /// Requests the receipt of the last interval before the connection closes. Called when the
  /// session is about to end by the device's Goodbye, or because its token was revoked.
  ///
  /// @param reason of the Goodbye that the device then gets
  void leaves(String reason) {
    leaving = true;
    goodbye = reason;
    connection.later(ANSWER_MS, TimeUnit.MILLISECONDS, () -> connection.goodbye(reason));
  }

  /// Returns true if the session ends and the device may still sign.
  boolean isLeaving() {
    return leaving;
  }
}
