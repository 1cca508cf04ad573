package io.viaduct.cnapt.policy;

import io.viaduct.tunnel.session.RateOrder;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/// Ranks the paths of the moment as both ends of the tunnel do for a new flow that counts rate
/// ([RateOrder]). Each end counts what it measures in its own direction.
final class RateRanking {
  // 10 ms for each percent, as at both ends.
  private static final double MS_PER_PERCENT = 10;

  private final Predicate<PathStatus> bad;
  private final ToDoubleFunction<PathStatus> spare;
  private final ToDoubleFunction<PathStatus> delayMs;

  /// From the device.
  static final RateRanking UP =
      new RateRanking(
          PathStatus::bad,
          PathStatus::spareBitPerSecond,
          path -> delayMs(path.delayMs(), path.lossPercent()));

  /// From the SNAPT.
  static final RateRanking DOWN =
      new RateRanking(
          path -> path.down().bad(),
          path -> path.down().spareBitPerSecond(),
          path -> delayMs(path.delayMs(), path.downLossPercent()));

  private RateRanking(
      Predicate<PathStatus> bad,
      ToDoubleFunction<PathStatus> spare,
      ToDoubleFunction<PathStatus> delayMs) {
    this.bad = bad;
    this.spare = spare;
    this.delayMs = delayMs;
  }

  private static double delayMs(@Nullable Double measured, double loss) {
    return measured == null ? Double.MAX_VALUE : measured + MS_PER_PERCENT * loss;
  }

  /// Returns the path that the flow's packets would take; none if no packet may leave.
  List<PathStatus> best(List<PathStatus> paths) {
    List<PathStatus> usable = using("yes", paths);
    return (usable.isEmpty() ? using("spare", paths) : usable)
        .stream().reduce((one, other) -> isBefore(other, one) ? other : one).stream().toList();
  }

  private static List<PathStatus> using(String use, List<PathStatus> paths) {
    return paths.stream()
        .filter(path -> path.use().equals(use))
        .filter(path -> path.snapshot().isAlive())
        .toList();
  }

  private boolean isBefore(PathStatus one, PathStatus other) {
    return RateOrder.isBefore(
        bad.test(one),
        spare.applyAsDouble(one),
        delayMs.applyAsDouble(one),
        bad.test(other),
        spare.applyAsDouble(other),
        delayMs.applyAsDouble(other));
  }
}
