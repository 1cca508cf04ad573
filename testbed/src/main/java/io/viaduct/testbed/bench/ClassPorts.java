package io.viaduct.testbed.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Tells the agent the classes by port.
final class ClassPorts {
  private ClassPorts() {}

  /// Writes the rules.
  ///
  /// @return the agent's line that names them
  static String agentLines(Stand stand) throws IOException {
    Path file = stand.directory().resolve("applications.yml");
    Files.writeString(file, TrafficClass.applications());
    return "applications: " + file + "\n";
  }
}
