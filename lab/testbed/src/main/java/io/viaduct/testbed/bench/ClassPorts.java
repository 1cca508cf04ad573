package io.viaduct.testbed.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Tells the agent the class of each port.
final class ClassPorts {
  private ClassPorts() {}

  /// Writes the agent's rules.
  ///
  /// @return the line of the agent's configuration that names the rules' file
  static String agentLines(BenchEnvironment environment) throws IOException {
    Path file = environment.directory().resolve("applications.yml");
    Files.writeString(file, TrafficClass.applications());
    return "applications: " + file + "\n";
  }
}
