package io.viaduct.diameter.peer;

import io.viaduct.diameter.message.DiameterMessage;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/// A request of ours without an answer. Its end-to-end identifier stays the same on all peers.
final class PendingRequest {
  private DiameterMessage message;
  private final CompletableFuture<DiameterMessage> answer;
  private final Set<Peer> tried = new HashSet<>();
  private long deadlineMs;

  PendingRequest(DiameterMessage message, CompletableFuture<DiameterMessage> answer) {
    this.message = message;
    this.answer = answer;
  }

  DiameterMessage message() {
    return message;
  }

  CompletableFuture<DiameterMessage> answer() {
    return answer;
  }

  /// Returns true if this peer has had the request.
  boolean wasTried(Peer peer) {
    return tried.contains(peer);
  }

  void sentTo(Peer peer, long deadline) {
    tried.add(peer);
    deadlineMs = deadline;
  }

  boolean isLate(long nowMs) {
    return nowMs - deadlineMs >= 0;
  }

  /// Sets the T bit, because a peer that failed may have processed the request.
  void markRetransmission() {
    message = message.with(message.header().asRetransmission());
  }

  void fail(DiameterFailure failure, String text) {
    answer.completeExceptionally(new DiameterException(failure, text));
  }
}
