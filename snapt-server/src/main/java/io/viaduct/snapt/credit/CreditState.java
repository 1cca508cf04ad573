package io.viaduct.snapt.credit;

import io.viaduct.tunnel.control.v1.CreditNotice;

/// What a device is told about the credit of its account.
public enum CreditState {
  /// Traffic is carried, or billing has not said anything yet.
  SUFFICIENT,
  /// Traffic is carried, and the credit will soon not suffice.
  LOW,
  /// The credit does not suffice: some flows are refused.
  EXHAUSTED,
  /// The user's own spending cap is reached: some flows are refused.
  CAP_REACHED,
  /// The account is suspended or unknown: all flows are refused.
  BLOCKED,
  /// Billing cannot be asked, and the tariff lets some classes not pass without it.
  UNKNOWN;

  /// Returns the message for the device.
  ///
  /// @param availableMicrodenarii balance + credit limit − reservations
  public CreditNotice notice(long availableMicrodenarii) {
    return CreditNotice.newBuilder()
        .setState(wire())
        .setAvailableMicrodenarii(availableMicrodenarii)
        .build();
  }

  private CreditNotice.State wire() {
    return switch (this) {
      case SUFFICIENT -> CreditNotice.State.SUFFICIENT;
      case LOW -> CreditNotice.State.LOW;
      case EXHAUSTED -> CreditNotice.State.EXHAUSTED;
      case CAP_REACHED -> CreditNotice.State.CAP_REACHED;
      case BLOCKED -> CreditNotice.State.BLOCKED;
      case UNKNOWN -> CreditNotice.State.UNKNOWN;
    };
  }
}
