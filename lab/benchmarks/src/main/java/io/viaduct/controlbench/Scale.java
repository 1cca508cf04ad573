package io.viaduct.controlbench;

import java.util.LinkedHashMap;
import java.util.Map;

/// The size of a run.
///
/// @param agents registered devices
/// @param snapts announced SNAPTs
/// @param rounds runs of the whole sequence
/// @param rate devices that begin per second
/// @param seconds of the steady state
/// @param dataRate of one SNAPT, Mbit/s
record Scale(int agents, int snapts, int rounds, int rate, int seconds, int dataRate) {
  Scale {
    if (agents < 1 || snapts < 1 || rounds < 1 || rate < 1 || seconds < 1 || dataRate < 1) {
      throw new IllegalArgumentException(
          "--agents, --snapts, --rounds, --rate, --seconds and --data-rate must be at least 1");
    }
  }

  /// Returns the devices of each SNAPT, if they are spread evenly.
  int sessions() {
    return Math.max(1, Math.ceilDiv(agents, snapts));
  }

  /// Returns the data rate of one SNAPT in bytes per second.
  double bytesPerSecond() {
    return dataRate * 1e6 / 8;
  }

  /// Returns what rounds that are compared have in common.
  Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("agents", String.valueOf(agents));
    settings.put("snapts", String.valueOf(snapts));
    settings.put("agents that begin per second", String.valueOf(rate));
    settings.put("seconds of the steady state", String.valueOf(seconds));
    settings.put("data rate of a SNAPT, Mbit/s", String.valueOf(dataRate));
    return settings;
  }
}
