package io.viaduct.billing.rating;

import io.viaduct.billing.ledger.MicroDenarii;
import java.math.BigDecimal;
import java.math.RoundingMode;

/// Rounds money: half-even, to whole micro-denarii. No other class rounds money.
public final class Rounding {
  /// A double represents every integer up to this value. No amount of this system is larger.
  private static final double EXACT_MAX = 0x1p53;

  private Rounding() {}

  /// Converts denarii to micro-denarii. Rounds the double product `denarii * 1e6` half-even.
  public static MicroDenarii ofDenarii(double denarii) {
    return ofMicroDenarii(denarii * 1e6);
  }

  /// Rounds micro-denarii half-even.
  ///
  /// @throws ArithmeticException above 2^53 micro-denarii, or if the amount is not a number
  public static MicroDenarii ofMicroDenarii(double microDenarii) {
    if (!(Math.abs(microDenarii) <= EXACT_MAX)) {
      throw new ArithmeticException(
          "amount must be within +-2^53 micro-denarii, got " + microDenarii);
    }
    return new MicroDenarii((long) Math.rint(microDenarii));
  }

  /// Returns a share of an amount. The product is exact in decimal and rounded half-even, so that
  /// 10 % of 15 is 2.
  public static MicroDenarii share(MicroDenarii whole, double fraction) {
    BigDecimal product = BigDecimal.valueOf(fraction).multiply(BigDecimal.valueOf(whole.value()));
    return new MicroDenarii(product.setScale(0, RoundingMode.HALF_EVEN).longValueExact());
  }
}
