package io.viaduct.diameter.peer;

import io.viaduct.diameter.message.DiameterMessage;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/// A request of ours without an answer. Its end-to-end identifier stays the same on all peers.
final class PendingRequest {
  private DiameterMessage message;
  private final CompletableFuture<Exchange> end = new CompletableFuture<>();
  private final Set<Peer> tried = new HashSet<>();
  private long deadlineMs;
  private boolean isWithPeer; // a peer has the last copy, and has not answered it

  PendingRequest(DiameterMessage message) {
    this.message = message;
  }

  DiameterMessage message() {
    return message;
  }

  /// Returns the end: the answer, or a failure.
  CompletableFuture<Exchange> end() {
    return end;
  }

  /// Returns true if this peer has had the request.
  boolean wasTried(Peer peer) {
    return tried.contains(peer);
  }

  void sentTo(Peer peer, long deadline) {
    tried.add(peer);
    deadlineMs = deadline;
    isWithPeer = true;
  }

  /// Notes that the peer has answered that it does not take the request.
  void returned() {
    isWithPeer = false;
  }

  boolean isLate(long nowMs) {
    return nowMs - deadlineMs >= 0;
  }

  /// Sets the T bit, because a peer that failed may have processed the request.
  void markRetransmission() {
    message = message.with(message.header().asRetransmission());
  }

  void complete(DiameterMessage answer) {
    end.complete(new Exchange(message, answer));
  }

  void fail(DiameterFailure failure, String text) {
    boolean mayHaveArrived = isWithPeer || message.header().retransmitted();
    end.completeExceptionally(new DiameterException(failure, text, mayHaveArrived));
  }
}
