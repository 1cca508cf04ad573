package io.viaduct.testbed.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/// Collects the properties of the machine that a reader of the results must know.
public final class Machine {
  private Machine() {}

  static Map<String, String> conditions(BenchNetwork network, String command, Instant now)
      throws IOException {
    var conditions = conditions(command, now);
    conditions.put("gateways", network.isMasquerading() ? "masquerade" : "route");
    return conditions;
  }

  /// Returns the conditions of a benchmark without gateways.
  ///
  /// @param command that repeats the run
  public static Map<String, String> conditions(String command, Instant now) throws IOException {
    var conditions = new LinkedHashMap<String, String>();
    conditions.put("command", command);
    conditions.put("time", now.toString());
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
}
