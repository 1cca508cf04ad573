package io.viaduct.diameter.queue;

import io.viaduct.diameter.message.DiameterMessage;
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

  static Outcome of(DiameterMessage answer) {
    long result = answer.resultCode().orElse(0);
    if (result / CLASS == 2) {
      return Outcome.DELIVERED;
    }
    boolean transientFailure =
        result / CLASS == 4
            || result == UNABLE_TO_DELIVER
            || result == TOO_BUSY
            || result == REDIRECT_INDICATION;
    return transientFailure ? Outcome.TRY_AGAIN : Outcome.REFUSED;
  }
}
