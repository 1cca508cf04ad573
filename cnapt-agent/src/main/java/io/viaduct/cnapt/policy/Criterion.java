package io.viaduct.cnapt.policy;

import java.util.Comparator;

/// A property by which paths are compared, with the margin by which a path must be better before
/// flows move to it.
public enum Criterion {
  /// Lower delay: better by 20 % and by 5 ms.
  DELAY(Comparator.comparingLong(PathSnapshot::delayNs)) {
    @Override
    boolean isClearlyBetter(PathSnapshot rival, PathSnapshot current) {
      return rival.delayNs() / PERCENT_OF_DELAY <= current.delayNs() / 100
          && current.delayNs() - rival.delayNs() >= DELAY_MARGIN_NS;
    }
  },
  /// More spare rate, and with the same rate lower delay: better by 25 % of rate.
  RATE(
      Comparator.comparingLong(PathSnapshot::spareBitPerSecond)
          .reversed()
          .thenComparing(DELAY.order)) {
    @Override
    boolean isClearlyBetter(PathSnapshot rival, PathSnapshot current) {
      return rival.spareBitPerSecond() / PERCENT_OF_RATE > current.spareBitPerSecond() / 100;
    }
  },
  /// Lower cost, and with the same cost more spare rate: better by any difference of cost.
  COST(Comparator.comparingDouble(PathSnapshot::cost).thenComparing(RATE.order)) {
    @Override
    boolean isClearlyBetter(PathSnapshot rival, PathSnapshot current) {
      return rival.cost() < current.cost();
    }
  };

  private static final long PERCENT_OF_DELAY = 80;
  private static final long PERCENT_OF_RATE = 125;
  private static final long DELAY_MARGIN_NS = 5_000_000;

  private final Comparator<PathSnapshot> order;

  Criterion(Comparator<PathSnapshot> order) {
    this.order = order;
  }

  /// Returns the order of paths, the best one first. Equal paths are ordered by number, so that the
  /// result does not depend on the order of a list.
  Comparator<PathSnapshot> order() {
    return order.thenComparingInt(PathSnapshot::id);
  }

  /// Returns true if a path is better by the margin.
  abstract boolean isClearlyBetter(PathSnapshot rival, PathSnapshot current);
}
