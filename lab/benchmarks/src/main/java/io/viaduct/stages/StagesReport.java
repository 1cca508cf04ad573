package io.viaduct.stages;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;

/// The results of one run.
record StagesReport(List<Line> lines) {
  StagesReport {
    lines = List.copyOf(lines);
  }

  /// One benchmark with one set of parameters.
  ///
  /// @param errorNs half of the 99.9 % confidence interval, in ns
  /// @param garbageBytes bytes per operation
  /// @param roundNs duration of a round
  record Line(
      String stage,
      String parameters,
      double ns,
      double errorNs,
      double garbageBytes,
      Garbage allowed,
      double roundNs) {
    boolean isWithinBounds() {
      return garbageBytes < bytesMax();
    }

    double bytesMax() {
      return allowed.bytesMax(ns, roundNs);
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
        Garbage.allowed(stage, parameters),
        of.getMeasurement().getTime().convertTo(TimeUnit.NANOSECONDS));
  }

  /// Returns true if no stage allocates more than its bound.
  boolean isWithinBounds() {
    return lines.stream().allMatch(Line::isWithinBounds);
  }

  String markdown() {
    StringBuilder text =
        new StringBuilder("| stage | of | ns | ± | B/op | |\n|---|---|---|---|---|---|\n");
    for (Line line : lines) {
      text.append(
          "| %s | %s | %,.1f | %,.1f | %.2f | %s |%n"
              .formatted(
                  line.stage,
                  line.parameters,
                  line.ns,
                  line.errorNs,
                  line.garbageBytes,
                  line.isWithinBounds()
                      ? "holds"
                      : "**more than %.0f**".formatted(line.bytesMax())));
    }
    return text.toString();
  }
}
