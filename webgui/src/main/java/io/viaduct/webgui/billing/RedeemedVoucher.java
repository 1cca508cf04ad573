package io.viaduct.webgui.billing;

import java.util.Objects;

/// A voucher that was redeemed.
public record RedeemedVoucher(String serial, MicroDenarii amountMicrodenarii) {
  public RedeemedVoucher {
    Objects.requireNonNull(serial);
    Objects.requireNonNull(amountMicrodenarii);
  }
}
