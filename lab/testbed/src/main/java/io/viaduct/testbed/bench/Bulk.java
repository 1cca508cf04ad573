package io.viaduct.testbed.bench;

import java.util.EnumMap;
import java.util.Map;

/// The load of each class in a classes benchmark, as shares of the line's rate. Saturating classes
/// use the highest rate of a changing line, the others the lowest.
enum Bulk {
  /// Only HT_HD is saturating; it offers twice the line's rate.
  ONE(Map.of(TrafficClass.HT_HD, 2.0), Map.of(TrafficClass.LT_HD, 0.05)),
  /// HT_HD and LT_HD each offer the whole line's rate.
  TWO(Map.of(TrafficClass.HT_HD, 1.0, TrafficClass.LT_HD, 1.0), Map.of()),
  /// Five flows, two of HT_HD and one of each other class, each offer the whole line's rate.
  FIVE(
      Map.of(
          TrafficClass.HT_HD, 2.0,
          TrafficClass.HT_LD, 1.0,
          TrafficClass.LT_HD, 1.0,
          TrafficClass.LT_LD, 1.0),
      Map.of());

  private static final Map<TrafficClass, Double> LOW_DELAY =
      Map.of(TrafficClass.HT_LD, 0.10, TrafficClass.LT_LD, 0.0064);

  private final Map<TrafficClass, Double> saturating;
  private final Map<TrafficClass, Double> others;

  Bulk(Map<TrafficClass, Double> saturating, Map<TrafficClass, Double> others) {
    this.saturating = saturating;
    this.others = others;
  }

  boolean saturates(TrafficClass of) {
    return saturating.containsKey(of);
  }

  /// Returns the number of flows of a class, which share its rate.
  int flows(TrafficClass of) {
    return this == FIVE && of == TrafficClass.HT_HD ? 2 : 1;
  }

  /// Returns the rates of the classes that are not saturating, in bit/s.
  Map<TrafficClass, Double> withoutBulk(AccessLine access) {
    var rates = new EnumMap<TrafficClass, Double>(TrafficClass.class);
    if (this != FIVE) {
      LOW_DELAY.forEach((of, share) -> rates.put(of, share * access.lowest() * 1e6));
    }
    others.forEach((of, share) -> rates.put(of, share * access.lowest() * 1e6));
    return rates;
  }

  /// Returns the rates of all classes, in bit/s.
  Map<TrafficClass, Double> withBulk(AccessLine access) {
    var rates = withoutBulk(access);
    saturating.forEach((of, share) -> rates.put(of, share * access.highest() * 1e6));
    return rates;
  }
}
