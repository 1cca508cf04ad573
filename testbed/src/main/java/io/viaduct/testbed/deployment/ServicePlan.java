package io.viaduct.testbed.deployment;

import io.viaduct.testbed.topology.NetworkNamespace;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// How one process is started.
///
/// @param name of the process, its log and its configuration file
/// @param module whose jar it runs
/// @param verb first word after the jar: `run`, or `up` for the agent
/// @param ready URI that answers 200 once it serves, asked from its own namespace
/// @param configuration its whole configuration file, YAML
public record ServicePlan(
    String name,
    String module,
    String verb,
    NetworkNamespace namespace,
    String ready,
    String configuration) {
  private static final String VERSION = "0.1.0";

  /// The command line; heap and compiler as fits eight processes on two cores, everything else as
  /// in production.
  ///
  /// @param root of the clone, where the jars are
  /// @param directory private to this run: configuration, temporary files
  List<String> command(Path root, Path directory) {
    var words = new ArrayList<>(Deployment.java(directory));
    if (isControlPlane()) {
      words.add("-XX:TieredStopAtLevel=1"); // short-lived here: compile fast rather than well
    }
    words.addAll(
        List.of(
            "-jar",
            root.resolve(module)
                .resolve("target")
                .resolve(module + "-" + VERSION + ".jar")
                .toString(),
            verb,
            "--config",
            directory.resolve(name + ".yml").toString()));
    return words;
  }

  private boolean isControlPlane() {
    return namespace.name().equals("control");
  }
}
