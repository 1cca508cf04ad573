package io.viaduct.testbed.bench;

import io.viaduct.testbed.bench.Load.Outcome;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// The same load by each way.
///
/// @param outcomes by peer, the direct path's and ours among them
record SavingsLine(Map<String, Outcome> outcomes) {
  Outcome direct() {
    return of(DirectPeer.NAME);
  }

  Outcome viaduct() {
    return of(ViaductPeer.NAME);
  }

  Outcome of(String peer) {
    return Objects.requireNonNull(outcomes.get(peer), peer);
  }

  /// A percentile through the tunnel less the same one of the direct path, ms: the two were
  /// measured one after the other, so that it can be below 0. NaN if nothing has arrived by either.
  double addedMs(double percentile) {
    return viaduct().delayMs(percentile) - direct().delayMs(percentile);
  }

  /// Of the added delay; none without a goal.
  Optional<Verdict> delayVerdict() {
    double most = viaduct().load().goalAddedMs();
    return Double.isNaN(most)
        ? Optional.empty()
        : Optional.of(Verdict.atMost(most, "ms", addedMs(99)));
  }
}
