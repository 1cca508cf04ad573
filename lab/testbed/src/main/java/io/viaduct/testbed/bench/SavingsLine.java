package io.viaduct.testbed.bench;

import io.viaduct.testbed.bench.Load.Outcome;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// Results of one load by peer.
///
/// @param outcomes by peer, including the direct path's and ours
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

  /// Returns a percentile of our tunnel minus the same percentile of the direct path, in ms. It can
  /// be negative, because the two were measured one after the other. NaN if no packet arrived by
  /// one of them.
  double addedMs(double percentile) {
    return viaduct().delayMs(percentile) - direct().delayMs(percentile);
  }

  /// Returns the verdict over the added delay; empty without a goal.
  Optional<Verdict> delayVerdict() {
    double most = viaduct().load().goalAddedMs();
    return Double.isNaN(most)
        ? Optional.empty()
        : Optional.of(Verdict.atMost(most, "ms", addedMs(99)));
  }
}
