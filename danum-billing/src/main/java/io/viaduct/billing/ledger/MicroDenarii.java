package io.viaduct.billing.ledger;

import java.math.BigDecimal;

/// An amount of money in integer micro-denarii (10^-6 den). Amounts are stored, sent and added only
/// in this unit. Overflow throws an exception.
///
/// @param value micro-denarii, positive or negative
public record MicroDenarii(long value) implements Comparable<MicroDenarii> {
  public static final MicroDenarii ZERO = new MicroDenarii(0);

  /// Returns an amount of whole denarii.
  public static MicroDenarii ofDenarii(long denarii) {
    return new MicroDenarii(Math.multiplyExact(denarii, 1_000_000L));
  }

  public MicroDenarii plus(MicroDenarii other) {
    return new MicroDenarii(Math.addExact(value, other.value));
  }

  public MicroDenarii minus(MicroDenarii other) {
    return new MicroDenarii(Math.subtractExact(value, other.value));
  }

  public MicroDenarii negated() {
    return new MicroDenarii(Math.negateExact(value));
  }

  public boolean isZero() {
    return value == 0;
  }

  @Override
  public int compareTo(MicroDenarii other) {
    return Long.compare(value, other.value);
  }

  /// Returns the amount for people, with all its digits: `35.541158 den`.
  public String denarii() {
    BigDecimal denarii = BigDecimal.valueOf(value, 6).stripTrailingZeros();
    return (denarii.signum() == 0 ? "0" : denarii.toPlainString()) + " den";
  }

  /// Returns the number as the interfaces send it: a string, because JSON readers round large
  /// numbers.
  @Override
  public String toString() {
    return Long.toString(value);
  }
}
