package io.viaduct.cnapt.control;

import io.netty.channel.EventLoop;
import io.viaduct.cnapt.receipts.ReceiptLedger;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.IntervalBoundary;
import io.viaduct.tunnel.control.v1.ReceiptAnswer;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// Answers the boundaries on one connection to a SNAPT that accepts receipts. If a boundary does
/// not agree with the counts, it is checked a second time, because it may have overtaken packets of
/// its interval. Owner: the control event loop.
final class BoundaryAnswers {
  private static final long UNDER_WAY_MS = 1_000;
  private static final int DEFERRED_MAX = 64;

  private final EventLoop loop;
  private final ReceiptLedger ledger;
  private final ControlConnection connection;
  private final String snaptId;
  private final String sessionId;
  private int deferred;

  /// @param snaptId id in the SNAPT's certificate
  /// @param sessionId of the connection
  BoundaryAnswers(
      EventLoop loop,
      ReceiptLedger ledger,
      ControlConnection connection,
      String snaptId,
      String sessionId) {
    this.loop = loop;
    this.ledger = ledger;
    this.connection = connection;
    this.snaptId = snaptId;
    this.sessionId = sessionId;
  }

  void boundary(IntervalBoundary boundary) {
    boolean patient = deferred < DEFERRED_MAX;
    Optional<ReceiptAnswer> answer = ledger.answer(snaptId, sessionId, boundary, patient);
    if (answer.isPresent()) {
      send(answer.get());
      return;
    }
    defer(1);
    var again = loop.schedule(() -> finallyAnswer(boundary), UNDER_WAY_MS, TimeUnit.MILLISECONDS);
    assert !again.isCancelled() : again;
  }

  private void finallyAnswer(IntervalBoundary boundary) {
    defer(-1);
    if (connection.isOpen()) {
      ledger.answer(snaptId, sessionId, boundary, false).ifPresent(this::send);
    }
  }

  private void defer(int change) {
    deferred += change;
    ledger.waiting(change);
  }

  private void send(ReceiptAnswer answer) {
    connection.send(ControlMessage.newBuilder().setReceiptAnswer(answer).build());
  }
}
