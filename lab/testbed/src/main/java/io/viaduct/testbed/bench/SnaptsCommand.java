package io.viaduct.testbed.bench;

import io.viaduct.testbed.process.Unshared;
import io.viaduct.testbed.report.BenchOptions;
import io.viaduct.testbed.report.Grid;
import io.viaduct.testbed.report.Report;
import io.viaduct.testbed.topology.Laboratory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `viaduct bench snapts`: a device with several SNAPTs. Each run has namespaces and services of
/// its own. The rows take turns, round after round.
@Command(
    name = "snapts",
    mixinStandardHelpOptions = true,
    description = "several SNAPTs: sum of two gateways, drain, upgrade, death, and their cost")
final class SnaptsCommand implements Callable<Integer> {
  private static final String TITLE = "Several SNAPTs";
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  @Option(names = "--rounds", description = "runs of each row (default ${DEFAULT-VALUE})")
  private int rounds = 5;

  @Option(names = "--only", split = ",", description = "rows, by name (default: all)")
  private List<String> only = List.of();

  @Option(names = "--resume", description = "goes on with a run that was interrupted")
  private boolean isResuming;

  @Mixin private BenchOptions options = new BenchOptions();

  private final Map<String, String> missing = new LinkedHashMap<>();

  private record Line(SnaptsRow row, HandoverGoal goal, double[] values) {}

  private static final Grid<Line> GRID =
      new Grid<Line>()
          .text("row", "row", line -> line.row().name())
          .member("title", line -> line.row().title())
          .text("measured", "measured", line -> line.goal().reading().title())
          .text("values", "count", line -> line.values().length)
          .number("p50", "p50", 2, line -> Statistic.P50.of(line.values()))
          .number("least", "least", 2, line -> Statistic.LEAST.of(line.values()))
          .number("greatest", "greatest", 2, line -> Statistic.WORST.of(line.values()))
          .text("goal for", "statistic", line -> line.goal().statistic().words)
          .goal("goal", "goal", line -> Optional.of(line.goal().verdict(line.values())))
          .member("values", Line::values);

  @Override
  public Integer call() throws Exception {
    if (rounds < 1) {
      throw new IllegalArgumentException("--rounds is %d: it must be at least 1".formatted(rounds));
    }
    List<SnaptsRow> rows = Selection.of(SnaptsRow.all(), SnaptsRow::name, only, "row");
    Path file = options.output().resolve("snapts-repetitions.jsonl");
    Map<String, String> run = Map.of("commit", String.valueOf(options.conditions().get("commit")));
    Repetitions done = isResuming ? Repetitions.resume(file, run) : Repetitions.begin(file, run);
    for (int round = 1; round <= rounds; round++) {
      for (SnaptsRow row : rows) {
        if (done.count(row.name(), ViaductPeer.NAME) < round * row.values()) {
          System.err.printf("%s: %d of %d%n", row.name(), round, rounds);
          run(row, round, done);
        }
      }
    }
    Map<String, String> conditions = options.conditions();
    rows.forEach(row -> conditions.put("row " + row.name(), row.title()));
    Report.of("snapts", TITLE, conditions, GRID, lines(rows, done))
        .without(missing)
        .publish(System.out, options.output());
    return 0;
  }

  /// Runs a row once in namespaces of its own, and records what it printed.
  private void run(SnaptsRow row, int round, Repetitions done)
      throws IOException, InterruptedException {
    Path logs = Files.createDirectories(options.root().resolve("build/lab"));
    Path log = logs.resolve("snapts-%s.log".formatted(row.name()));
    Path directory =
        Files.createDirectories(options.outer().resolve("%s-%d".formatted(row.name(), round)));
    List<String> arguments = List.of(options.root().toString(), directory.toString());
    try {
      Unshared.Ended ended =
          Unshared.run(Unshared.command(false), row.type(), arguments, Map.of(), log, PATIENCE);
      Laboratory.keepLogs(directory, logs);
      if (ended.status() != 0) {
        throw new IllegalStateException(
            "it ended with %d: %s".formatted(ended.status(), lastLine(ended.said())));
      }
      for (int value = 0; value < row.values(); value++) {
        done.add(row.name(), ViaductPeer.NAME, readings(row, ended, value));
      }
    } catch (IllegalStateException e) {
      String failure = "round %d: %s, see %s".formatted(round, e.getMessage(), log);
      missing.put(row.name(), failure);
      System.err.printf("%s, %s%n", row.name(), failure);
    }
  }

  private static Map<Reading, Double> readings(SnaptsRow row, Unshared.Ended ended, int value) {
    Map<Reading, Double> readings = new LinkedHashMap<>();
    for (HandoverGoal goal : row.goals()) {
      List<Double> printed = ended.numbers(goal.reading().title());
      if (printed.size() <= value) {
        throw new IllegalStateException(
            "it printed %d times '%s'".formatted(printed.size(), goal.reading().title()));
      }
      readings.put(goal.reading(), printed.get(value));
    }
    return readings;
  }

  private static String lastLine(String said) {
    List<String> lines = said.lines().toList();
    int failure =
        IntStream.range(0, lines.size())
            .filter(at -> lines.get(at).contains("Exception"))
            .findFirst()
            .orElse(lines.size() - 1);
    return failure < 0 ? "" : lines.get(failure);
  }

  private static List<Line> lines(List<SnaptsRow> rows, Repetitions done) {
    return rows.stream()
        .flatMap(row ->
            row.goals().stream()
                .map(goal ->
                    new Line(row, goal, done.of(row.name(), ViaductPeer.NAME, goal.reading()))))
        .toList();
  }
}
