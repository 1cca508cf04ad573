package io.viaduct.testbed.bench;

import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Option;

/// Which tunnels of others a benchmark runs beside ours.
final class PeerOptions {
  @Option(
      names = "--peers",
      split = ",",
      description = "tunnels of others, by name; 'none' for none (default: all that are installed)")
  private List<String> names = List.of();

  /// Not started yet.
  ///
  /// @throws IllegalArgumentException naming what exists, when a name does not
  List<ScriptPeer> unpack(Stand stand) throws IOException {
    return PeerScripts.unpack(stand.ground(), stand.directory(), names);
  }

  /// As on the command line, with a space before it; empty for the default.
  String words() {
    return Chosen.words("--peers", names);
  }
}
