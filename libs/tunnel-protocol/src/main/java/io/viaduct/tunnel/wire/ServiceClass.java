package io.viaduct.tunnel.wire;

import org.jspecify.annotations.Nullable;

/// Service class of a flow (Ijans et al., Table I): throughput low or high (LT, HT), delay limit
/// low or high (LD, HD). Declared in strict priority order; the ordinal is the `cls` field of the
/// wire.
public enum ServiceClass {
  LT_LD,
  HT_LD,
  LT_HD,
  HT_HD;

  public static final int COUNT = 4;
  private static final ServiceClass[] BY_CODE = values();

  /// Returns the two bits on the wire.
  public int code() {
    return ordinal();
  }

  /// Returns whether the class has the low delay limit.
  public boolean isLowDelay() {
    return this == LT_LD || this == HT_LD;
  }

  /// Returns the class with this code.
  ///
  /// @param code 0 … 3
  public static ServiceClass of(int code) {
    return BY_CODE[code & 3];
  }

  /// Returns the class itself, or the lowest class for an unclassified flow (null).
  public static ServiceClass orLowest(@Nullable ServiceClass serviceClass) {
    return serviceClass == null ? HT_HD : serviceClass;
  }
}
