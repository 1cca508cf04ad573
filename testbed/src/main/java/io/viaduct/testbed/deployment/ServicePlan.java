package io.viaduct.testbed.deployment;

import io.viaduct.testbed.topology.NetworkNamespace;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// How one process is started.
///
/// @param name of the process, its log and its configuration file
/// @param module that it is the program of
/// @param verb first word: `run`, or `up` for the agent
/// @param ready URI that answers 200 once it serves, asked from its own namespace
/// @param configuration its whole configuration file, YAML
public record ServicePlan(
    String name,
    String module,
    String verb,
    NetworkNamespace namespace,
    String ready,
    String configuration) {
  /// URI of its metrics, asked from its own namespace.
  String metrics() {
    return URI.create(ready).resolve("/metrics").toString();
  }

  /// The command line: as in production, but the control plane's heap and compiler fit many
  /// processes on two cores.
  ///
  /// @param root of the clone, where the programs are
  /// @param directory private to this run: the configuration
  /// @param learning whether it leaves a start cache behind, `NAME=value` for `bin/runtime.sh`
  List<String> command(Path root, Path directory, String learning) {
    var words =
        new ArrayList<>(List.of("env", "JAVA_HOME=" + System.getProperty("java.home"), learning));
    if (isControlPlane()) { // short-lived here: compile fast rather than well
      words.add("JAVA_OPTIONS=-XX:TieredStopAtLevel=1 -Xmx384m");
    }
    words.addAll(
        List.of(
            root.resolve("bin").resolve(program()).toString(),
            verb,
            "--config",
            directory.resolve(name + ".yml").toString()));
    return words;
  }

  private String program() {
    return switch (module) {
      case "cnapt-agent" -> "cnapt";
      case "snapt-server" -> "snapt";
      default -> module;
    };
  }

  private boolean isControlPlane() {
    return namespace.name().equals("control");
  }
}
