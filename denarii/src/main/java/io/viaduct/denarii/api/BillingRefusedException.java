package io.viaduct.denarii.api;

import java.io.IOException;

/// Thrown if billing refuses a request. Its message is billing's reason, which names value, rule
/// and remedy.
public final class BillingRefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String type;
  private final String challenge;

  /// @param status HTTP status
  /// @param type last part of the problem's type (RFC 9457), such as `not-found`; empty if the
  ///   answer was no problem
  public BillingRefusedException(int status, String type, String message) {
    this(status, type, message, "");
  }

  /// @param challenge what a code of the second factor must be sent with; empty if none is wanted
  BillingRefusedException(int status, String type, String message, String challenge) {
    super(message);
    this.status = status;
    this.type = type;
    this.challenge = challenge;
  }

  /// Returns what a code of the second factor must be sent with; empty if none is wanted.
  public String challenge() {
    return challenge;
  }

  /// Returns the HTTP status.
  public int status() {
    return status;
  }

  /// Returns the last part of the problem's type, such as `not-found`.
  public String type() {
    return type;
  }
}
