package io.viaduct.testbed.bench;

import java.util.List;
import picocli.CommandLine.Option;

/// Selects the other tunnels that a benchmark runs beside ours.
final class PeerOptions {
  @Option(
      names = "--peers",
      split = ",",
      description = "tunnels of others, by name; 'none' for none (default: all that are installed)")
  private List<String> names = List.of();

  List<String> names() {
    return names;
  }
}
