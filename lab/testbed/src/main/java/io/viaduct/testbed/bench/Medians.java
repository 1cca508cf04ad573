package io.viaduct.testbed.bench;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Medians over the rounds.
///
/// @param roles of the peers, by name
record Medians(List<Sample> samples, Map<String, Role> roles) {
  /// Returns NaN when the peer has no sample of the row.
  double of(Row row, String peer) {
    return Median.of(
        samples.stream()
            .filter(sample -> sample.peer().equals(peer) && sample.row().equals(row.id()))
            .mapToDouble(Sample::value));
  }

  /// Returns the other tunnel with the best median of this row.
  Optional<String> bestPeer(Row row) {
    return roles.entrySet().stream()
        .filter(peer -> peer.getValue() == Role.PEER && !Double.isNaN(of(row, peer.getKey())))
        .map(Map.Entry::getKey)
        .reduce((a, b) -> row.sense().isBetter(of(row, b), of(row, a)) ? b : a);
  }
}
