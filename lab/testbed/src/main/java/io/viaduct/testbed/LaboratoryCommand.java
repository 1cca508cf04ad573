package io.viaduct.testbed;

import picocli.CommandLine;
import picocli.CommandLine.Command;

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
    var line = new CommandLine(new LaboratoryCommand());
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setExecutionExceptionHandler((failure, command, words) -> reported(failure));
    System.exit(line.execute(arguments));
  }

  /// Reports failures that a person can repair in one line; all others keep their stack trace.
  ///
  /// @return exit code of sysexits.h for a bad value, 1 when the laboratory failed
  private static int reported(Exception failure) throws Exception {
    return switch (failure) {
      case IllegalArgumentException badValue -> reported(badValue, 64);
      case IllegalStateException failed -> reported(failed, 1);
      default -> throw failure;
    };
  }

  private static int reported(Exception failure, int status) {
    System.err.println("viaduct: " + failure.getMessage());
    return status;
  }
}
