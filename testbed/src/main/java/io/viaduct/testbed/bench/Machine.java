package io.viaduct.testbed.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/// What a reader of the numbers must know of the machine.
public final class Machine {
  private Machine() {}

  static Map<String, String> conditions(Ground ground, String command, Instant now)
      throws IOException {
    var conditions = conditions(command, now);
    conditions.put("gateways", ground.masquerading() ? "masquerade" : "route");
    return conditions;
  }

  /// Of a benchmark without gateways.
  ///
  /// @param command that gives the same run again
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
