package io.viaduct.testbed.sessions;

import io.viaduct.testbed.bench.Median;
import io.viaduct.testbed.bench.Report;
import io.viaduct.testbed.bench.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Costs of an idle session, and the throughput of many sessions against one, by number of
/// sessions.
record SessionsReport(List<Step> steps) {
  static final double IDLE_KIB_MAX = 24;
  private static final String OTHERS =
      "\n- tunnels of others: left out, the generator of sessions speaks to a SNAPT only\n";
  static final double CONTROL_BYTES_MAX = 25;

  /// Results of one number of sessions on a fresh SNAPT.
  ///
  /// @param openSeconds time to open all sessions
  /// @param heapBytes of live objects per idle session
  /// @param nativeBytes by malloc(3) per idle session
  /// @param residentBytes growth of the process per idle session
  /// @param controlBytes IP bytes per idle session and second, both directions
  /// @param one rounds in which only one session sends
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

    /// Returns the least share of one session's throughput: 0.9 up to 100 sessions, 0.75 above.
    double shareMin() {
      return sessions <= 100 ? 0.9 : 0.75;
    }
  }

  /// One round of a flood.
  ///
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
    return Median.of(rounds.stream().mapToDouble(measured::of));
  }

  private String table() {
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
    return text.append('\n').append(String.join("\n", goals())).append(OTHERS).toString();
  }

  private List<String> goals() {
    var goals = new ArrayList<String>();
    for (Step step : steps) {
      List.of(
              Verdict.atLeast(step.shareMin(), "× one session's throughput", step.share()),
              Verdict.atMost(IDLE_KIB_MAX, "KiB per idle session", step.idleKib()),
              Verdict.atMost(CONTROL_BYTES_MAX, "control B/s per idle session", step.controlBytes))
          .forEach(verdict -> goals.add("- %d sessions: %s".formatted(step.sessions, verdict)));
    }
    return goals;
  }

  Report under(Map<String, String> conditions) {
    return new Report(
        "sessions", "Many sessions on one SNAPT", conditions, table(), Map.of("steps", steps));
  }
}
