package io.viaduct.billing.provisioning;

/// A change of a user that breaks a rule; nothing was changed.
public final class UserRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Reason reason;

  /// Why.
  public enum Reason {
    /// no account has this id
    UNKNOWN,
    /// the account is closed, for ever
    CLOSED,
    /// the account is the operator of billing's configuration
    CONFIGURED_OPERATOR,
    /// the old password is not right
    WRONG_OLD_PASSWORD,
    /// a value breaks a rule
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
