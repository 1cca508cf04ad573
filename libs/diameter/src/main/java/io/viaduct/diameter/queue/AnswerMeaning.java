package io.viaduct.diameter.queue;

import io.viaduct.diameter.message.DiameterMessage;

/// The meaning of an answer for the request that waits on disk.
enum AnswerMeaning {
  DONE,
  /// The peer will never take the request.
  REFUSED,
  /// Another time or another peer may take it: UNABLE_TO_DELIVER, TOO_BUSY, REDIRECT_INDICATION,
  /// OUT_OF_SPACE and all other transient failures (RFC 6733 section 7.1).
  TRY_AGAIN;

  private static final int CLASS = 1000;
  private static final long UNABLE_TO_DELIVER = 3002;
  private static final long TOO_BUSY = 3004;
  private static final long REDIRECT_INDICATION = 3006;

  static AnswerMeaning of(DiameterMessage answer) {
    long result = answer.resultCode().orElse(0);
    if (result / CLASS == 2) {
      return DONE;
    }
    boolean transientFailure =
        result / CLASS == 4
            || result == UNABLE_TO_DELIVER
            || result == TOO_BUSY
            || result == REDIRECT_INDICATION;
    return transientFailure ? TRY_AGAIN : REFUSED;
  }
}
