package io.viaduct.testbed.deployment;

import io.viaduct.testbed.topology.NetworkNamespace;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The plan of one process.
///
/// @param name of the process, its log and its configuration file
/// @param module that contains the program
/// @param verb first argument: `run`, or `up` for the agent
/// @param ready URI that answers 200 once the process serves, requested from its own namespace
/// @param configuration its whole configuration file, YAML
public record ServicePlan(
    String name,
    String module,
    String verb,
    NetworkNamespace namespace,
    String ready,
    String configuration) {
  /// Returns the same plan with another configuration file.
  public ServicePlan withConfiguration(String whole) {
    return new ServicePlan(name, module, verb, namespace, ready, whole);
  }

  /// Returns the same plan with more lines in its configuration file.
  public ServicePlan with(String lines) {
    return withConfiguration(configuration + lines);
  }

  /// Returns the URI of the process's metrics, requested from its own namespace.
  String metrics() {
    return URI.create(ready).resolve("/metrics").toString();
  }

  /// Returns the command line. It is that of production, but the control plane has a smaller heap
  /// and a faster compiler, so that many processes fit on two cores.
  ///
  /// @param root of the clone with the programs
  /// @param directory private to this run, with the configuration
  /// @param learning tells if a start cache is written: `NAME=value` for `bin/runtime.sh`
  List<String> command(Path root, Path directory, String learning) {
    var words =
        new ArrayList<>(List.of("env", "JAVA_HOME=" + System.getProperty("java.home"), learning));
    if (isControlPlane()) { // short-lived here: fast compilation matters more than fast code
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
    return !module.equals("cnapt-agent") && !module.equals("snapt-server");
  }
}
