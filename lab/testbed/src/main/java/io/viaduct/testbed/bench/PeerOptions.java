package io.viaduct.testbed.bench;

import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Option;

/// Selects the other tunnels that a benchmark runs beside ours.
final class PeerOptions {
  @Option(
      names = "--peers",
      split = ",",
      description = "tunnels of others, by name; 'none' for none (default: all that are installed)")
  private List<String> names = List.of();

  /// Returns the selected tunnels, not started yet.
  ///
  /// @throws IllegalArgumentException with the existing names, if a name is unknown
  List<ScriptPeer> unpack(BenchEnvironment environment) throws IOException {
    return PeerScripts.unpack(environment.network(), environment.directory(), names);
  }

  /// Returns the option in command-line form with a leading space; empty for the default.
  String optionText() {
    return Selection.optionText("--peers", names);
  }
}
