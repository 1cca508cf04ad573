package io.viaduct.testbed.bench;

/// What a row is to reach, beside what it is held against. Factors are bounds: at least for rows
/// where more is better, at most where less is.
sealed interface Goal {
  /// Ours, as a multiple of the best peer's.
  record OfBest(double factor) implements Goal {}

  /// Ours, as a multiple of the direct path's.
  record OfDirect(double factor) implements Goal {}

  /// Ours, as a multiple of one peer's, such as a bound.
  record Of(String peer, double factor) implements Goal {}

  /// What ours adds to the direct path, as a multiple of what the best peer adds.
  record AddedOfBest(double factor) implements Goal {}

  /// A number in the row's unit.
  record Bound(double value) implements Goal {}

  /// The verdict over the medians of a run.
  default Verdict judge(Row row, Medians medians) {
    double ours = medians.of(row, ViaductPeer.NAME);
    double direct = medians.of(row, DirectPeer.NAME);
    double best = medians.bestPeer(row).map(peer -> medians.of(row, peer)).orElse(Double.NaN);
    return switch (this) {
      case OfBest(double factor) -> verdict(row, "× best", factor, ours / best);
      case OfDirect(double factor) -> verdict(row, "× direct", factor, ours / direct);
      case Of(String peer, double factor) ->
          verdict(row, "× " + peer, factor, ours / medians.of(row, peer));
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
