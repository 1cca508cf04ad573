package io.viaduct.stages;

import io.viaduct.testbed.LaboratoryCommand;
import io.viaduct.testbed.report.BenchOptions;
import io.viaduct.testbed.report.Report;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Collection;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `viaduct bench stages`: runs the benchmarks per stage.
@Command(
    name = "viaduct bench stages",
    mixinStandardHelpOptions = true,
    description = "time and garbage of each stage of a packet's way (JMH)")
public final class StagesCommand implements Callable<Integer> {
  private static final String TITLE = "Time and garbage of each stage of a packet's way";
  private static final int BROKEN = 70;

  @Option(
      names = "--filter",
      description = "regular expression on the stage's name, such as Seal or Session.*")
  private Pattern filter = Pattern.compile("Stage");

  @Option(names = "--rounds", description = "of one measurement (default ${DEFAULT-VALUE})")
  private int rounds = 5;

  @Option(names = "--millis", description = "of one round (default ${DEFAULT-VALUE})")
  private int millis = 500;

  @Option(
      names = "--candidates",
      description =
          "only sealing and opening, by every provider that was weighed for it (ADR 0016)")
  private boolean candidates;

  @Mixin private BenchOptions options = new BenchOptions();

  public static void main(String[] arguments) {
    System.exit(LaboratoryCommand.run(new StagesCommand(), arguments));
  }

  @Override
  public Integer call() throws Exception {
    Files.createDirectories(options.output());
    Collection<RunResult> results;
    try {
      results = new Runner(stages()).run();
    } catch (NoBenchmarksException e) {
      System.err.println("viaduct: no stage is called '" + filter + "'");
      return CommandLine.ExitCode.USAGE;
    }
    StagesReport report = StagesReport.of(results);
    System.out.println();
    Report.of("stages", TITLE, options.conditions(), StagesReport.GRID, report.lines())
        .publish(System.out, options.output());
    return report.isWithinBounds() ? 0 : BROKEN;
  }

  private Options stages() {
    ChainedOptionsBuilder stages = new OptionsBuilder();
    if (candidates) {
      String[] names = Arrays.stream(SealCipher.values()).map(Enum::name).toArray(String[]::new);
      stages = stages.include("SealStage").param("cipher", names);
    } else {
      stages = stages.include(filter.pattern());
    }
    return stages
        .mode(Mode.AverageTime)
        .timeUnit(TimeUnit.NANOSECONDS)
        .forks(1)
        .shouldFailOnError(true)
        .warmupIterations(rounds)
        .warmupTime(TimeValue.milliseconds(millis))
        .measurementIterations(rounds)
        .measurementTime(TimeValue.milliseconds(millis))
        .addProfiler(GCProfiler.class)
        .jvmArgs(
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-XX:+UseSerialGC",
            "-XX:-UsePerfData",
            "-Xmx512m",
            "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
            "-Dio.netty.leakDetection.level=disabled")
        .build();
  }
}
