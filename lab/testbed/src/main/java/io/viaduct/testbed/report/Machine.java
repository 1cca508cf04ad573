package io.viaduct.testbed.report;

import io.viaduct.testbed.topology.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/// Collects the properties of a run that a reader of the results must know.
final class Machine {
  private Machine() {}

  /// @param command that repeats the run
  /// @param root of the clone
  static Map<String, String> conditions(String command, Path root, Instant now) throws IOException {
    var conditions = new LinkedHashMap<String, String>();
    conditions.put("command", command);
    conditions.put("time", now.toString());
    conditions.put("commit", commit(root));
    conditions.put("kernel", System.getProperty("os.version"));
    conditions.put(
        "processors",
        Runtime.getRuntime().availableProcessors()
            + " x "
            + Files.readString(Path.of("/proc/cpuinfo"))
                .lines()
                .filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 2))
                .findFirst()
                .orElse("unknown"));
    conditions.put("load at the end", Files.readString(Path.of("/proc/loadavg")).strip());
    conditions.put("java", System.getProperty("java.runtime.version"));
    return conditions;
  }

  // An installation from an archive has no commit. The owner of the clone may be another user.
  private static String commit(Path root) {
    try {
      return Command.run(
          "git",
          "-c",
          "safe.directory=*",
          "-C",
          root.toString(),
          "describe",
          "--always",
          "--dirty",
          "--abbrev=7");
    } catch (IllegalStateException | java.io.UncheckedIOException e) {
      return "unknown";
    }
  }
}
