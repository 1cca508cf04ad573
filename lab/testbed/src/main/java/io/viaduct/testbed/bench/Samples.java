package io.viaduct.testbed.bench;

import io.viaduct.testbed.report.Median;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.DoubleStream;

/// The measured values of every row and peer, in the order of the rounds.
final class Samples {
  private final Map<String, Role> roles;
  private final Map<String, Map<String, List<Double>>> values = new LinkedHashMap<>();

  /// @param roles of the peers, by name
  Samples(Map<String, Role> roles) {
    this.roles = roles;
  }

  void add(Row row, String peer, double value) {
    values
        .computeIfAbsent(row.id(), _ -> new LinkedHashMap<>())
        .computeIfAbsent(peer, _ -> new ArrayList<>())
        .add(value);
  }

  boolean has(Row row) {
    return values.containsKey(row.id());
  }

  /// Returns the values by round; none if the peer was not measured.
  double[] of(Row row, String peer) {
    return values.getOrDefault(row.id(), Map.of()).getOrDefault(peer, List.of()).stream()
        .mapToDouble(Double::doubleValue)
        .toArray();
  }

  /// Returns NaN when the peer was not measured.
  double median(Row row, String peer) {
    return Median.of(DoubleStream.of(of(row, peer)));
  }

  /// Returns the other tunnel with the best median of this row.
  Optional<String> bestPeer(Row row) {
    return roles.keySet().stream()
        .filter(peer -> roles.get(peer) == Role.PEER && of(row, peer).length > 0)
        .reduce((a, b) -> row.sense().isBetter(median(row, b), median(row, a)) ? b : a);
  }
}
