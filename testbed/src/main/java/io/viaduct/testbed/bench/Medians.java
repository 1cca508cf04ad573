package io.viaduct.testbed.bench;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Medians over the rounds.
///
/// @param roles of the peers, by name
record Medians(List<Sample> samples, Map<String, Role> roles) {
  /// NaN when the peer has no sample of the row.
  double of(Row row, String peer) {
    double[] values =
        samples.stream()
            .filter(sample -> sample.peer().equals(peer) && sample.row().equals(row.id()))
            .mapToDouble(Sample::value)
            .filter(value -> !Double.isNaN(value))
            .sorted()
            .toArray();
    if (values.length == 0) {
      return Double.NaN;
    }
    int middle = values.length / 2;
    return values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  }

  /// The tunnel of others with the best median of this row.
  Optional<String> bestPeer(Row row) {
    return roles.entrySet().stream()
        .filter(peer -> peer.getValue() == Role.PEER && !Double.isNaN(of(row, peer.getKey())))
        .map(Map.Entry::getKey)
        .reduce((a, b) -> row.sense().better(of(row, b), of(row, a)) ? b : a);
  }
}
