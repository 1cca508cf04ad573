package io.viaduct.testbed.sessions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/// What an idle session costs, and what many carry against one, by number of sessions.
record SessionsReport(Map<String, String> conditions, List<Step> steps) {
  static final double IDLE_KIB_MAX = 24;
  static final double CONTROL_BYTES_MAX = 25;

  /// One number of sessions on a fresh SNAPT.
  ///
  /// @param openSeconds that all took to open
  /// @param heapBytes of live objects per idle session
  /// @param nativeBytes by malloc(3) per idle session
  /// @param residentBytes that the process has grown by, per idle session
  /// @param controlBytes IP bytes per idle session and second, both directions
  /// @param one rounds in which one session alone sends
  /// @param all rounds in which all send, each beside its round of `one`
  record Step(
      int sessions,
      double openSeconds,
      double heapBytes,
      double nativeBytes,
      double residentBytes,
      double controlBytes,
      List<Round> one,
      List<Round> all) {
    double idleKib() {
      return (heapBytes + nativeBytes) / 1024;
    }

    double share() {
      return median(all, Round::mbitPerSecond) / median(one, Round::mbitPerSecond);
    }

    /// At 100 sessions nine tenths of what one carries, above it three quarters.
    double shareMin() {
      return sessions <= 100 ? 0.9 : 0.75;
    }
  }

  /// @param cpuSeconds of the SNAPT
  record Round(Flood.Sent sent, double cpuSeconds) {
    double mbitPerSecond() {
      return sent.mbitPerSecond();
    }

    double packetsPerSecond() {
      return sent.arrived() / sent.seconds();
    }

    double cpuPerGbit() {
      return cpuSeconds / (sent.arrived() * Packets.BYTES * 8 / 1e9);
    }

    double lostPercent() {
      return 100.0 * (sent.packets() - sent.arrived()) / Math.max(1, sent.packets());
    }
  }

  interface Measured {
    double of(Round round);
  }

  static double median(List<Round> rounds, Measured measured) {
    double[] values = rounds.stream().mapToDouble(measured::of).sorted().toArray();
    int middle = values.length / 2;
    return values.length == 0
        ? Double.NaN
        : values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  }

  String table() {
    var text =
        new StringBuilder("| sessions | opened in s | KiB per idle session (heap + native) |")
            .append(" resident KiB | control B/s per idle session | one session Mbit/s |")
            .append(" all Mbit/s | share | all packets/s | SNAPT CPU s/Gbit one / all | lost % |\n")
            .append("|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (Step step : steps) {
      text.append(
          String.format(
              Locale.ROOT,
              "| %d | %.1f | %.1f (%.1f + %.1f) | %.1f | %.1f | %.0f | %.0f | %.2f | %.0f | %.3f / %.3f | %.1f |%n",
              step.sessions,
              step.openSeconds,
              step.idleKib(),
              step.heapBytes / 1024,
              step.nativeBytes / 1024,
              step.residentBytes / 1024,
              step.controlBytes,
              median(step.one, Round::mbitPerSecond),
              median(step.all, Round::mbitPerSecond),
              step.share(),
              median(step.all, Round::packetsPerSecond),
              median(step.one, Round::cpuPerGbit),
              median(step.all, Round::cpuPerGbit),
              median(step.all, Round::lostPercent)));
    }
    return text.append('\n').append(String.join("\n", goals())).append('\n').toString();
  }

  private List<String> goals() {
    var goals = new ArrayList<String>();
    for (Step step : steps) {
      goals.add(
          goal(step, "share of one session's throughput ≥", step.shareMin(), step.share(), true));
      goals.add(goal(step, "KiB per idle session ≤", IDLE_KIB_MAX, step.idleKib(), false));
      goals.add(
          goal(
              step, "control B/s per idle session ≤", CONTROL_BYTES_MAX, step.controlBytes, false));
    }
    return goals;
  }

  private static String goal(Step step, String what, double bound, double value, boolean least) {
    boolean won = least ? value >= bound : value <= bound;
    return String.format(
        Locale.ROOT,
        "- %d sessions: %s %s: %.2f %s",
        step.sessions,
        what,
        bound,
        value,
        Double.isNaN(value) ? "not measured" : won ? "won" : "LOST");
  }

  /// Writes `sessions.json` and `sessions.md`.
  void write(Path directory) throws IOException {
    var document = new LinkedHashMap<String, Object>();
    document.put("conditions", conditions);
    document.put("steps", steps);
    JsonMapper.builder()
        .build()
        .writerWithDefaultPrettyPrinter()
        .writeValue(directory.resolve("sessions.json"), document);
    var text = new StringBuilder("# Many sessions on one SNAPT\n\n");
    conditions.forEach(
        (key, value) -> text.append("- ").append(key).append(": ").append(value).append('\n'));
    Files.writeString(directory.resolve("sessions.md"), text.append('\n').append(table()));
  }
}
