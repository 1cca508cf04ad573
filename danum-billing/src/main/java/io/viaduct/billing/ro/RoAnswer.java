package io.viaduct.billing.ro;

import io.viaduct.billing.ledger.MicroDenarii;
import java.time.Duration;
import java.util.Optional;

/// The charging system's answer to a request.
///
/// @param outcome what it says
/// @param granted credit that may be used from now on
/// @param validity time after which it must be asked again; empty if it says none
/// @param isLast true if these are the last units
public record RoAnswer(
    Outcome outcome, MicroDenarii granted, Optional<Duration> validity, boolean isLast) {
  /// Kinds of answers.
  public enum Outcome {
    GRANTED,
    /// It knows the use, and grants nothing: a transient failure such as 4012.
    REFUSED,
    /// It knows the use, and grants a unit or currency that is not billing's, or none.
    OTHER_UNIT,
    /// It does not know the session, or will never take the request. The use is told in another
    /// session.
    UNKNOWN,
    /// It has not taken the request: it is too busy, or no peer was connected. The same request is
    /// sent again.
    NOT_TAKEN,
    /// None came. The same request is sent again as a possible copy.
    UNANSWERED
  }

  /// Returns an answer without credit.
  public static RoAnswer without(Outcome outcome) {
    return new RoAnswer(outcome, MicroDenarii.ZERO, Optional.empty(), true);
  }
}
