package io.viaduct.sip.guard;

/// Carries a refusal from the checks to the verdict. It has no stack trace, because a flood of bad
/// messages must cost little.
final class RefusedException extends Exception {
  private static final long serialVersionUID = 1L;
  private final Refusal reason;

  RefusedException(Refusal reason) {
    super(reason.name(), null, false, false);
    this.reason = reason;
  }

  Refusal reason() {
    return reason;
  }
}
