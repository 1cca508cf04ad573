package io.viaduct.billing.tariff;

/// Class of service of a flow: high or low throughput (HT, LT), low or high delay (LD, HD).
// = ijans2015 table 1
public enum ServiceClass {
  LT_LD,
  HT_LD,
  LT_HD,
  HT_HD;

  /// Returns true for the classes of low delay.
  public boolean isLowDelay() {
    return this == LT_LD || this == HT_LD;
  }
}
