package io.viaduct.testbed;

import io.viaduct.service.command.ExitCode;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;

/// The first process of the laboratory's namespaces.
@Command(
    name = "viaduct",
    mixinStandardHelpOptions = true,
    subcommands = {
      io.viaduct.testbed.demo.DemoCommand.class,
      io.viaduct.testbed.bench.BenchCommand.class,
      io.viaduct.testbed.lab.LabCommand.class,
      io.viaduct.testbed.chaos.ChaosCommand.class
    })
public final class LaboratoryCommand {
  private LaboratoryCommand() {}

  static void main(String[] arguments) {
    System.exit(run(new LaboratoryCommand(), arguments));
  }

  /// Runs a command of the laboratory, or a benchmark without one.
  ///
  /// @param command object annotated for picocli
  /// @return exit code of sysexits.h for wrong usage, 1 when the command failed
  public static int run(Object command, String... arguments) {
    CommandLine line = new CommandLine(command);
    prepare(line.getCommandSpec());
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setExecutionExceptionHandler((failure, _, _) -> reported(failure));
    return line.execute(arguments);
  }

  private static void prepare(CommandSpec spec) {
    spec.exitCodeOnInvalidInput(ExitCode.USAGE);
    spec.subcommands().values().forEach(below -> prepare(below.getCommandSpec()));
  }

  /// Reports failures that a person can repair in one line; all others keep their stack trace.
  ///
  /// @return exit code of sysexits.h for a bad value, 1 when the laboratory failed
  private static int reported(Exception failure) throws Exception {
    return switch (failure) {
      case IllegalArgumentException badValue -> reported(badValue, ExitCode.USAGE);
      case IllegalStateException failed -> reported(failed, 1);
      default -> throw failure;
    };
  }

  private static int reported(Exception failure, int status) {
    System.err.println("viaduct: " + failure.getMessage());
    return status;
  }
}
