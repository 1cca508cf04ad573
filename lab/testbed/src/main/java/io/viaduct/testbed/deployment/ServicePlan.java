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
/// @param options of its JVM beside those of production; may be empty
public record ServicePlan(
    String name,
    String module,
    String verb,
    NetworkNamespace namespace,
    String ready,
    String configuration,
    String options) {
  // Short-lived here: fast compilation matters more than fast code, and many processes share the
  // memory.
  private static final String CONTROL_PLANE = "-XX:TieredStopAtLevel=1 -Xmx384m";

  /// Makes the plan of a laboratory, in which the control plane has a smaller heap and a faster
  /// compiler than in production.
  public ServicePlan(
      String name,
      String module,
      String verb,
      NetworkNamespace namespace,
      String ready,
      String configuration) {
    this(
        name,
        module,
        verb,
        namespace,
        ready,
        configuration,
        isControlPlane(module) ? CONTROL_PLANE : "");
  }

  /// Returns the same plan with the JVM of production.
  public ServicePlan asInProduction() {
    return new ServicePlan(name, module, verb, namespace, ready, configuration, "");
  }

  /// Returns the same plan with another configuration file.
  public ServicePlan withConfiguration(String whole) {
    return new ServicePlan(name, module, verb, namespace, ready, whole, options);
  }

  /// Returns the same plan with more lines in its configuration file.
  public ServicePlan with(String lines) {
    return withConfiguration(configuration + lines);
  }

  /// Returns the URI of the process's metrics, requested from its own namespace.
  String metrics() {
    return URI.create(ready).resolve("/metrics").toString();
  }

  /// Returns the command line: that of production, with the plan's options.
  ///
  /// @param root of the clone with the programs
  /// @param directory private to this run, with the configuration
  /// @param learning tells if a start cache is written: `NAME=value` for `bin/runtime.sh`
  List<String> command(Path root, Path directory, String learning) {
    var words =
        new ArrayList<>(List.of("env", "JAVA_HOME=" + System.getProperty("java.home"), learning));
    if (!options.isEmpty()) {
      words.add("JAVA_OPTIONS=" + options);
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

  private static boolean isControlPlane(String module) {
    return !module.equals("cnapt-agent") && !module.equals("snapt-server");
  }
}
