package io.viaduct.testbed.sessions;

import io.viaduct.testbed.report.Grid;
import io.viaduct.testbed.report.Median;
import io.viaduct.testbed.report.Verdict;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/// Costs of an idle session, and the throughput of many sessions against one, of one number of
/// sessions on a fresh SNAPT.
///
/// @param openSeconds time to open all sessions
/// @param heapBytes of live objects per idle session
/// @param nativeBytes by malloc(3) per idle session
/// @param residentBytes growth of the process per idle session
/// @param controlBytes IP bytes per idle session and second, both directions
/// @param one rounds in which only one session sends
/// @param all rounds in which all send, each beside its round of `one`
record SessionsStep(
    int sessions,
    double openSeconds,
    double heapBytes,
    double nativeBytes,
    double residentBytes,
    double controlBytes,
    List<Round> one,
    List<Round> all) {
  private static final double IDLE_KIB_MAX = 24;
  private static final double CONTROL_BYTES_MAX = 25;

  static final Grid<SessionsStep> GRID =
      new Grid<SessionsStep>()
          .text("sessions", "sessions", SessionsStep::sessions)
          .number("opened in s", "openSeconds", 1, SessionsStep::openSeconds)
          .cell("KiB per idle session (heap + native)", SessionsStep::idle)
          .member("heapBytes", SessionsStep::heapBytes)
          .member("nativeBytes", SessionsStep::nativeBytes)
          .cell("resident KiB", step -> Grid.number(step.residentBytes / 1024, 1))
          .member("residentBytes", SessionsStep::residentBytes)
          .number("control B/s per idle session", "controlBytes", 1, SessionsStep::controlBytes)
          .cell("one session Mbit/s", step -> number(step.one, 0, Round::mbitPerSecond))
          .cell("all Mbit/s", step -> number(step.all, 0, Round::mbitPerSecond))
          .number("share", "share", 2, SessionsStep::share)
          .cell("all packets/s", step -> number(step.all, 0, Round::packetsPerSecond))
          .cell(
              "SNAPT CPU s/Gbit one / all",
              step ->
                  number(step.one, 3, Round::cpuPerGbit)
                      + " / "
                      + number(step.all, 3, Round::cpuPerGbit))
          .cell("lost %", step -> number(step.all, 1, Round::lostPercent))
          .member("goals", step -> step.goals().toList())
          .member("one", SessionsStep::one)
          .member("all", SessionsStep::all);

  /// One round of a flood.
  ///
  /// @param cpuSeconds of the SNAPT
  record Round(Flood.Sent sent, double cpuSeconds) {
    private double mbitPerSecond() {
      return sent.mbitPerSecond();
    }

    private double packetsPerSecond() {
      return sent.arrived() / sent.seconds();
    }

    private double cpuPerGbit() {
      return cpuSeconds / (sent.arrived() * Packets.BYTES * 8 / 1e9);
    }

    private double lostPercent() {
      return 100.0 * (sent.packets() - sent.arrived()) / Math.max(1, sent.packets());
    }
  }

  private static String number(List<Round> rounds, int decimals, ToDoubleFunction<Round> value) {
    return Grid.number(median(rounds, value), decimals);
  }

  private static double median(List<Round> rounds, ToDoubleFunction<Round> value) {
    return Median.of(rounds.stream().mapToDouble(value));
  }

  private String idle() {
    return "%s (%s + %s)"
        .formatted(
            Grid.number(idleKib(), 1),
            Grid.number(heapBytes / 1024, 1),
            Grid.number(nativeBytes / 1024, 1));
  }

  private double idleKib() {
    return (heapBytes + nativeBytes) / 1024;
  }

  private double share() {
    return median(all, Round::mbitPerSecond) / median(one, Round::mbitPerSecond);
  }

  private Stream<Verdict> goals() {
    double shareMin = sessions <= 100 ? 0.9 : 0.75;
    return Stream.of(
        Verdict.atLeast(shareMin, "× one session's throughput", share()),
        Verdict.atMost(IDLE_KIB_MAX, "KiB per idle session", idleKib()),
        Verdict.atMost(CONTROL_BYTES_MAX, "control B/s per idle session", controlBytes));
  }

  /// Returns a line for each goal.
  Stream<String> goalLines() {
    return goals().map(verdict -> "%d sessions: %s".formatted(sessions, verdict));
  }
}
