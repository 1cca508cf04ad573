package io.viaduct.billing.provisioning;

/// Thrown for a change of a user that breaks a rule. Nothing was changed.
public final class UserRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Reason reason;

  /// The broken rule.
  public enum Reason {
    /// There is no account with this id.
    UNKNOWN,
    /// The account is closed.
    CLOSED,
    /// The account is the operator of billing's configuration.
    CONFIGURED_OPERATOR,
    /// The old password is wrong.
    WRONG_OLD_PASSWORD,
    /// The account was changed by somebody else meanwhile.
    CHANGED,
    /// A value breaks a rule.
    INVALID
  }

  UserRefusedException(Reason reason, String detail) {
    super(detail, null, false, false);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
