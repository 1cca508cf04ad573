package io.viaduct.testbed.bench;

import io.viaduct.testbed.report.Verdict;

/// A goal of a row, relative to other measurements or absolute. A factor is a lower bound for rows
/// where more is better, else an upper bound.
sealed interface Goal {
  /// Our value as a multiple of the best peer's.
  record OfBest(double factor) implements Goal {}

  /// Our value as a multiple of the direct path's.
  record OfDirect(double factor) implements Goal {}

  /// Our value as a multiple of one named peer's.
  record Of(String peer, double factor) implements Goal {}

  /// Our addition to the direct path's value as a multiple of the best peer's addition.
  record AddedOfBest(double factor) implements Goal {}

  /// A fixed value in the row's unit.
  record Bound(double value) implements Goal {}

  /// Returns the verdict over the medians of a run.
  default Verdict judge(Row row, Samples samples) {
    double ours = samples.median(row, ViaductPeer.NAME);
    double direct = samples.median(row, DirectPeer.NAME);
    double best = samples.bestPeer(row).map(peer -> samples.median(row, peer)).orElse(Double.NaN);
    return switch (this) {
      case OfBest(double factor) -> verdict(row, "× best", factor, ours / best);
      case OfDirect(double factor) -> verdict(row, "× direct", factor, ours / direct);
      case Of(String peer, double factor) ->
          verdict(row, "× " + peer, factor, ours / samples.median(row, peer));
      case AddedOfBest(double factor) ->
          verdict(row, "× added by best", factor, (ours - direct) / (best - direct));
      case Bound(double value) -> verdict(row, row.unit(), value, ours);
    };
  }

  private static Verdict verdict(Row row, String against, double bound, double reached) {
    return row.sense() == Row.Sense.MORE
        ? Verdict.atLeast(bound, against, reached)
        : Verdict.atMost(bound, against, reached);
  }
}
