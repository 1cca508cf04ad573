package io.viaduct.diameter.queue;

import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.peer.Exchange;
import io.viaduct.service.storage.DeliveryQueue.Outcome;

/// Reads the meaning of an answer for the request that waits on disk. Another time or another peer
/// may take a request after UNABLE_TO_DELIVER, TOO_BUSY, REDIRECT_INDICATION, OUT_OF_SPACE and all
/// other transient failures (RFC 6733 section 7.1).
final class AnswerOutcome {
  private static final int CLASS = 1000;
  private static final long UNABLE_TO_DELIVER = 3002;
  private static final long TOO_BUSY = 3004;
  private static final long REDIRECT_INDICATION = 3006;

  private AnswerOutcome() {}

  /// Returns true if no way led to the host that the request names.
  static boolean isUndelivered(DiameterMessage answer) {
    return answer.resultCode().orElse(0) == UNABLE_TO_DELIVER;
  }

  static Outcome of(Exchange exchange) {
    long result = exchange.answer().resultCode().orElse(0);
    if (result / CLASS == 2) {
      return Outcome.DELIVERED;
    }
    boolean transientFailure =
        result / CLASS == 4
            || result == UNABLE_TO_DELIVER
            || result == TOO_BUSY
            || result == REDIRECT_INDICATION;
    if (!transientFailure) {
      return Outcome.REFUSED;
    }
    // The answer is to the last copy. Another one before it may have reached a server.
    return exchange.request().header().retransmitted() ? Outcome.UNANSWERED : Outcome.POSTPONED;
  }
}
