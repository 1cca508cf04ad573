package io.viaduct.testbed.bench;

import java.util.EnumMap;
import java.util.Map;

/// Which classes want more than the line carries, and how much of it each class offers, as a share
/// of the line's rate. What wants too much goes by the highest rate of a line that changes, the
/// rest by the lowest.
enum Bulk {
  /// HT_HD alone wants twice the line.
  ONE(Map.of(TrafficClass.HT_HD, 2.0), Map.of(TrafficClass.LT_HD, 0.05)),
  /// HT_HD and LT_HD want the whole line each.
  TWO(Map.of(TrafficClass.HT_HD, 1.0, TrafficClass.LT_HD, 1.0), Map.of());

  private static final Map<TrafficClass, Double> LOW_DELAY =
      Map.of(TrafficClass.HT_LD, 0.10, TrafficClass.LT_LD, 0.0064);

  private final Map<TrafficClass, Double> tooMuch;
  private final Map<TrafficClass, Double> beside;

  Bulk(Map<TrafficClass, Double> tooMuch, Map<TrafficClass, Double> beside) {
    this.tooMuch = tooMuch;
    this.beside = beside;
  }

  boolean saturates(TrafficClass of) {
    return tooMuch.containsKey(of);
  }

  /// Bit/s that the others offer.
  Map<TrafficClass, Double> withoutBulk(AccessLine access) {
    var rates = new EnumMap<TrafficClass, Double>(TrafficClass.class);
    LOW_DELAY.forEach((of, share) -> rates.put(of, share * access.lowest() * 1e6));
    beside.forEach((of, share) -> rates.put(of, share * access.lowest() * 1e6));
    return rates;
  }

  /// Bit/s that all offer.
  Map<TrafficClass, Double> withBulk(AccessLine access) {
    var rates = withoutBulk(access);
    tooMuch.forEach((of, share) -> rates.put(of, share * access.highest() * 1e6));
    return rates;
  }
}
