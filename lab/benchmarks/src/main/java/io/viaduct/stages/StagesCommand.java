package io.viaduct.stages;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `viaduct bench stages`: runs the benchmarks per stage.
@Command(
    name = "viaduct bench stages",
    mixinStandardHelpOptions = true,
    description = "time and garbage of each stage of a packet's way (JMH)")
public final class StagesCommand implements Callable<Integer> {
  private static final int BROKEN = 70;

  @Option(
      names = "--filter",
      description = "regular expression on the stage's name, such as Seal or Session.*")
  private Pattern filter = Pattern.compile("Stage");

  @Option(names = "--output", description = "folder of the results (default build/bench)")
  private Path output = Path.of("");

  @Option(names = "--root", hidden = true, required = true)
  private Path root = Path.of("");

  @Option(names = "--rounds", description = "of one measurement (default ${DEFAULT-VALUE})")
  private int rounds = 5;

  @Option(names = "--millis", description = "of one round (default ${DEFAULT-VALUE})")
  private int millis = 500;

  @Option(
      names = "--candidates",
      description =
          "only sealing and opening, by every provider that was weighed for it (ADR 0016)")
  private boolean candidates;

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new StagesCommand()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    Path folder = output.toString().isEmpty() ? root.resolve("build/bench") : output;
    Files.createDirectories(folder);
    Path json = folder.resolve("stages.json");
    Collection<RunResult> results;
    try {
      results = new Runner(options(json)).run();
    } catch (NoBenchmarksException e) {
      System.err.println("viaduct: no stage is called '" + filter + "'");
      return CommandLine.ExitCode.USAGE;
    }
    StagesReport report = StagesReport.of(results);
    Path markdown = folder.resolve("stages.md");
    Files.writeString(markdown, report.markdown());
    System.out.println();
    System.out.println(report.markdown());
    System.out.println("written: " + json + ", " + markdown);
    return report.isWithinBounds() ? 0 : BROKEN;
  }

  private Options options(Path json) {
    ChainedOptionsBuilder options = new OptionsBuilder();
    if (candidates) {
      String[] names = Arrays.stream(SealCipher.values()).map(Enum::name).toArray(String[]::new);
      options = options.include("SealStage").param("cipher", names);
    } else {
      options = options.include(filter.pattern());
    }
    return options
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
            "-Dio.netty.leakDetection.level=disabled")
        .resultFormat(ResultFormatType.JSON)
        .result(json.toString())
        .build();
  }
}
