package io.viaduct.testbed.demo;

import io.viaduct.testbed.topology.Topology;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// Checks the bill of a download that has moved from one SNAPT to another: each has charged what it
/// carried, and the sum is what was downloaded.
final class ChargedOnce {
  /// Headers and acknowledgements of the download, as a share of its text.
  private static final double HEADERS_MOST = 0.15;

  private ChargedOnce() {}

  /// Adds one claim to the narration.
  ///
  /// @param downloaded bytes of text
  static void check(Narration narration, List<Charge> charges, long downloaded) {
    String server = Topology.SERVER + ":" + FarEnd.MOVED_PORT;
    Map<String, Long> bySnapt =
        charges.stream()
            .filter(charge -> charge.remote().equals(server))
            .collect(
                Collectors.groupingBy(
                    Charge::snapt, TreeMap::new, Collectors.summingLong(Charge::preBytes)));
    long sum = bySnapt.values().stream().mapToLong(bytes -> bytes).sum();
    narration.hold(
        bySnapt.size() == 2 && sum >= downloaded && sum <= downloaded * (1 + HEADERS_MOST),
        "the download that moved is charged once: %s, together %d B with headers, for %d B of text",
        bySnapt.entrySet().stream()
            .map(each -> "%d B by %s".formatted(each.getValue(), each.getKey()))
            .collect(Collectors.joining(" + ")),
        sum,
        downloaded);
  }
}
