package io.viaduct.testbed.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;

/// Runs every measure with every peer in turn, for several rounds, so that other work of the
/// machine affects all peers alike.
final class TunnelBench {
  private final List<Peer> peers;
  private final List<Measure> measures;
  private final PrintStream progress;
  private final List<Sample> samples = new ArrayList<>();
  private final Map<String, String> failures = new LinkedHashMap<>();

  TunnelBench(List<Peer> peers, List<Measure> measures, PrintStream progress) {
    this.peers = List.copyOf(peers);
    this.measures = List.copyOf(measures);
    this.progress = progress;
  }

  void run(int rounds) throws IOException {
    for (int round = 1; round <= rounds; round++) {
      for (Measure measure : measures) {
        for (Peer peer : peers) {
          one(measure, peer, round);
        }
      }
    }
  }

  private void one(Measure measure, Peer peer, int round) throws IOException {
    progress.printf("round %d: %s, %s%n", round, measure.name(), peer.name());
    try {
      measure.run(
          peer, (row, value) -> samples.add(new Sample(peer.name(), round, row.id(), value)));
    } catch (IllegalStateException | CompletionException e) {
      failures.put(peer.name() + ", " + measure.name(), "round " + round + ": " + e.getMessage());
    }
  }

  List<Sample> samples() {
    return List.copyOf(samples);
  }

  /// Returns the failures by peer and measure, with the reason.
  Map<String, String> failures() {
    return failures;
  }
}
