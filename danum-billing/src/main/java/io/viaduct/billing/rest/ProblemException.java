package io.viaduct.billing.rest;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A refused request. [Problems] turns it into the answer.
final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ProblemType type;
  private final @Nullable Duration retryAfter;

  ProblemException(ProblemType type, String detail) {
    this(type, detail, null);
  }

  ProblemException(ProblemType type, String detail, @Nullable Duration retryAfter) {
    super(detail, null, false, false);
    this.type = type;
    this.retryAfter = retryAfter;
  }

  ProblemType type() {
    return type;
  }

  @Nullable Duration retryAfter() {
    return retryAfter;
  }

  /// The password was right, and the account has a second factor. The answer has the challenge that
  /// the code must be sent with.
  static final class CodeRequired extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String challenge;

    CodeRequired(String challenge) {
      super("a code is needed", null, false, false);
      this.challenge = challenge;
    }

    String challenge() {
      return challenge;
    }
  }

  static ProblemException invalid(String detail) {
    return new ProblemException(ProblemType.INVALID_REQUEST, detail);
  }

  static ProblemException notFound() {
    return new ProblemException(
        ProblemType.NOT_FOUND, "it does not exist, or belongs to somebody else");
  }
}
