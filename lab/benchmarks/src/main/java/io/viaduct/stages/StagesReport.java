package io.viaduct.stages;

import io.viaduct.testbed.report.Grid;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;

/// The results of one run.
record StagesReport(List<Line> lines) {
  static final Grid<Line> GRID =
      new Grid<Line>()
          .text("stage", "stage", Line::stage)
          .text("of", "parameters", Line::parameters)
          .number("ns", "ns", 1, Line::ns)
          .number("±", "errorNs", 1, Line::errorNs)
          .number("B/op", "garbageBytes", 2, Line::garbageBytes)
          .cell(" ", Line::verdict)
          .member("bytesMax", Line::bytesMax)
          .member("rounds", Line::rounds);

  StagesReport {
    lines = List.copyOf(lines);
  }

  /// One benchmark with one set of parameters.
  ///
  /// @param errorNs half of the 99.9 % confidence interval, in ns
  /// @param garbageBytes bytes per operation
  /// @param roundNs duration of a round
  /// @param rounds result of each round, in ns
  record Line(
      String stage,
      String parameters,
      double ns,
      double errorNs,
      double garbageBytes,
      GarbageBound allowed,
      double roundNs,
      List<Double> rounds) {
    boolean isWithinBounds() {
      return garbageBytes < bytesMax();
    }

    double bytesMax() {
      return allowed.bytesMax(ns, roundNs);
    }

    private String verdict() {
      return isWithinBounds() ? "holds" : "**more than %.0f**".formatted(bytesMax());
    }
  }

  static StagesReport of(Collection<RunResult> results) {
    return new StagesReport(results.stream().map(StagesReport::line).toList());
  }

  private static Line line(RunResult result) {
    BenchmarkParams of = result.getParams();
    String parameters =
        of.getParamsKeys().stream()
            .map(key -> key + " " + of.getParam(key))
            .collect(Collectors.joining(", "));
    String[] name = of.getBenchmark().split("\\.", -1);
    Result<?> primary = result.getPrimaryResult();
    Result<?> garbage = result.getSecondaryResults().get("gc.alloc.rate.norm");
    String stage = name[name.length - 2].replace("Stage", "") + " " + name[name.length - 1];
    return new Line(
        stage,
        parameters,
        primary.getScore(),
        primary.getScoreError(),
        garbage == null ? Double.NaN : garbage.getScore(),
        GarbageBound.allowed(stage, parameters),
        of.getMeasurement().getTime().convertTo(TimeUnit.NANOSECONDS),
        result.getBenchmarkResults().stream()
            .flatMap(fork -> fork.getIterationResults().stream())
            .map(IterationResult::getPrimaryResult)
            .map(Result::getScore)
            .toList());
  }

  /// Returns true if no stage allocates more than its bound.
  boolean isWithinBounds() {
    return lines.stream().allMatch(Line::isWithinBounds);
  }

  String markdown() {
    return GRID.markdown(lines);
  }
}
