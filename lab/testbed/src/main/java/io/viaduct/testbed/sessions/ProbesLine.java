package io.viaduct.testbed.sessions;

import io.viaduct.testbed.report.Grid;
import io.viaduct.testbed.report.Median;
import io.viaduct.testbed.report.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/// The rounds of one kind of probes.
final class ProbesLine {
  // Issue of many links: five times the kernel module of Caviglione et al.
  private static final double AT_HALF_A_CORE_MIN = 250_000;

  private final String kind;
  private final boolean bound;
  private final List<Round> rounds = new ArrayList<>();

  static final Grid<ProbesLine> GRID =
      new Grid<ProbesLine>()
          .text("probes of", "kind", line -> line.kind)
          .number("answered, 1/s", "answeredPerSecond", 0, line -> line.median(Round::perSecond))
          .number("cores used", "cores", 2, line -> line.median(Round::cores))
          .number("without answer, %", "lostPercent", 2, line -> line.median(Round::lostPercent))
          .rounds(
              "answered at half a core, 1/s",
              "atHalfACore",
              _ -> 0,
              line -> line.rounds.stream().mapToDouble(Round::atHalfACore).toArray())
          .goal("goal", "goal", ProbesLine::goal);

  /// One round.
  ///
  /// @param cpuSeconds of the responder
  record Round(ProbeFlood.Answered answered, double cpuSeconds) {
    private double perSecond() {
      return answered.answers() / answered.seconds();
    }

    private double cores() {
      return cpuSeconds / answered.seconds();
    }

    private double lostPercent() {
      return 100.0 * (answered.probes() - answered.answers()) / Math.max(1, answered.probes());
    }

    private double atHalfACore() {
      return 0.5 * answered.answers() / cpuSeconds;
    }
  }

  /// @param bound true for the kinds that have a goal
  ProbesLine(String kind, boolean bound) {
    this.kind = kind;
    this.bound = bound;
  }

  void add(Round round) {
    rounds.add(round);
  }

  private double median(ToDoubleFunction<Round> value) {
    return Median.of(rounds.stream().mapToDouble(value));
  }

  private Optional<Verdict> goal() {
    return bound
        ? Optional.of(
            Verdict.atLeast(AT_HALF_A_CORE_MIN, "1/s at half a core", median(Round::atHalfACore)))
        : Optional.empty();
  }
}
