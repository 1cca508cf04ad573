package io.viaduct.cnapt.snapts;

import io.viaduct.cnapt.policy.Unmet;

/// The configuration keys `snapts: {sessions, price-weight, unmet, region}`: the choice among
/// several SNAPTs.
///
/// @param sessions largest number of SNAPTs that are used at a time
/// @param priceWeight round trip in ms that one denarius per gigabyte less is worth
/// @param unmet what becomes of a new flow whose class no SNAPT meets
/// @param region the device begins at SNAPTs of this region, if the list has one that takes it;
///   empty for none
public record SnaptsSettings(int sessions, double priceWeight, Unmet unmet, String region) {
  /// Most SNAPTs at a time: each has a session, with sockets and keep-alives of its own.
  public static final int SESSIONS_MAX = 8;

  private static final double WEIGHT_MAX = 100_000;

  private static final int REGION_CHARACTERS_MAX = 64; // as a SNAPT is enrolled

  /// Checks the ranges.
  public SnaptsSettings {
    if (sessions < 1 || sessions > SESSIONS_MAX) {
      throw new IllegalArgumentException(
          "snapts.sessions must be from 1 to %d, got %d".formatted(SESSIONS_MAX, sessions));
    }
    if (!(priceWeight >= 0 && priceWeight <= WEIGHT_MAX)) {
      throw new IllegalArgumentException(
          "snapts.price-weight must be from 0 to %.0f, got %s".formatted(WEIGHT_MAX, priceWeight));
    }
    if (region.length() > REGION_CHARACTERS_MAX) {
      throw new IllegalArgumentException(
          "snapts.region must have at most %d characters, got %d"
              .formatted(REGION_CHARACTERS_MAX, region.length()));
    }
  }
}
