package io.viaduct.cnapt.links;

import java.util.Optional;

/// One line of the configuration key `links`.
///
/// @param name the interfaces that the line decides about
/// @param use use of these links; if empty, `yes`
/// @param cost price of one gigabyte in a unit of the user's choice; only the order of the links'
///   costs matters. If empty, 0
/// @param weakBelow signal strength in dBm below which a wireless link is left while another one
///   works. If empty, −80
public record LinkRule(
    LinkPattern name, Optional<LinkUse> use, Optional<Double> cost, Optional<Integer> weakBelow) {
  // Most drivers roam at −75 … −80 dBm. Below −80 the lowest rates are left, and frames get lost.
  private static final int WEAK_BELOW_DBM = -80;

  /// Checks cost and signal strength.
  public LinkRule {
    if (weakBelow.isPresent() && (weakBelow.get() < -120 || weakBelow.get() > -20)) {
      throw new IllegalArgumentException(
          "weak-below must be from -120 (never) to -20 dBm, got " + weakBelow.get());
    }
    if (cost.isPresent() && !(cost.get() >= 0 && cost.get() <= 1e9)) {
      throw new IllegalArgumentException(
          "cost must be from 0 to 1000000000, the price of one gigabyte, got " + cost.get());
    }
  }

  int weakBelowDbm() {
    return weakBelow.orElse(WEAK_BELOW_DBM);
  }

  LinkUse allowed() {
    return use.orElse(LinkUse.YES);
  }
}
