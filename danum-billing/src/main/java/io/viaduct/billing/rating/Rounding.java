package io.viaduct.billing.rating;

import io.viaduct.billing.ledger.MicroDenarii;
import java.math.BigDecimal;
import java.math.RoundingMode;

/// The one place where money is rounded: half-even, to whole micro-denarii.
public final class Rounding {
  /// Doubles are integers without gaps up to here; a larger amount is no amount of this system.
  private static final double EXACT_MAX = 0x1p53;

  private Rounding() {}

  /// Denarii to micro-denarii: half-even of the double product `denarii * 1e6`.
  public static MicroDenarii ofDenarii(double denarii) {
    return ofMicroDenarii(denarii * 1e6);
  }

  /// A double number of micro-denarii, half-even.
  public static MicroDenarii ofMicroDenarii(double microDenarii) {
    if (!(Math.abs(microDenarii) <= EXACT_MAX)) {
      throw new ArithmeticException(
          "amount must be within +-2^53 micro-denarii, got " + microDenarii);
    }
    return new MicroDenarii((long) Math.rint(microDenarii));
  }

  /// A share of an integer amount: exact in decimal, half-even, so that 10 % of 15 is 2.
  public static MicroDenarii share(MicroDenarii whole, double fraction) {
    BigDecimal product = BigDecimal.valueOf(fraction).multiply(BigDecimal.valueOf(whole.value()));
    return new MicroDenarii(product.setScale(0, RoundingMode.HALF_EVEN).longValueExact());
  }
}
