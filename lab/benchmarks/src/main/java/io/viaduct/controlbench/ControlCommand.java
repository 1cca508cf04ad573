package io.viaduct.controlbench;

import io.viaduct.testbed.LaboratoryCommand;
import io.viaduct.testbed.report.BenchOptions;
import io.viaduct.testbed.report.MeasuredRows;
import io.viaduct.testbed.report.Report;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `viaduct bench control`: registration, control traffic and the return of a fleet after the
/// bridge was killed. The first process of the laboratory's namespaces.
@Command(
    name = "viaduct bench control",
    mixinStandardHelpOptions = true,
    description = "control traffic of a fleet, and its return after the bridge was killed")
public final class ControlCommand implements Callable<Integer> {
  private static final String TITLE = "The control plane of a fleet";

  @Option(names = "--agents", description = "registered devices (default ${DEFAULT-VALUE})")
  private int agents = 20_000;

  @Option(names = "--snapts", description = "announced SNAPTs (default ${DEFAULT-VALUE})")
  private int snapts = 1_000;

  @Option(names = "--rounds", description = "of the whole sequence (default ${DEFAULT-VALUE})")
  private int rounds = 5;

  @Option(
      names = "--rate",
      description = "devices that begin per second (default ${DEFAULT-VALUE})")
  private int rate = 200;

  @Option(
      names = "--seconds",
      description =
          "of the steady state (default ${DEFAULT-VALUE}: each device renews its registration and its token)")
  private int seconds = 600;

  @Option(
      names = "--data-rate",
      description =
          "of one SNAPT, Mbit/s (default ${DEFAULT-VALUE}: TCP down of bench tunnel, docs/measurements.md)")
  private int dataRate = 6_300;

  @Option(names = "--resume", description = "go on with the run that was interrupted")
  private boolean isResumed;

  @Mixin private BenchOptions options = new BenchOptions();

  public static void main(String[] arguments) {
    System.exit(LaboratoryCommand.run(new ControlCommand(), arguments));
  }

  @Override
  public Integer call() throws Exception {
    Scale scale = new Scale(agents, snapts, rounds, rate, seconds, dataRate);
    MeasuredRows rows =
        MeasuredRows.open(
            options.output().resolve("control").resolve("rows.jsonl"), scale.settings(), isResumed);
    ControlRounds.run(scale, rows, options.root(), options.outer());
    Map<String, String> conditions = options.conditions();
    conditions.put(
        "load",
        "devices and SNAPTs in %d processes on the same machine, one event loop each"
            .formatted(Math.ceilDiv(agents, AgentFleet.DEVICES_MAX) + 1));
    Report.of("control", TITLE, conditions, ControlTable.GRID, ControlTable.of(rows, scale))
        .without(ControlTable.MISSING)
        .publish(System.out, options.output());
    return CommandLine.ExitCode.OK;
  }
}
