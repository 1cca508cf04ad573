package io.viaduct.billing.snapts;

/// A change of a SNAPT that was refused; nothing has changed.
public final class SnaptRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// The reasons for a refusal.
  public enum Reason {
    /// No such SNAPT is enrolled.
    UNKNOWN,
    /// The SNAPT has another version than the caller knows.
    CHANGED,
    /// The certificate has another key than that of the SNAPT.
    OTHER_KEY,
    /// The SNAPT is enrolled, and the caller has not named its version.
    VERSION_REQUIRED
  }

  private final Reason reason;

  SnaptRefusedException(Reason reason, String words) {
    super(words);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
