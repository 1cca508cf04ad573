package io.viaduct.testbed;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/// The first process of the laboratory's namespaces.
@Command(
    name = "viaduct",
    mixinStandardHelpOptions = true,
    subcommands = {
      io.viaduct.testbed.demo.DemoCommand.class,
      io.viaduct.testbed.bench.BenchCommand.class
    })
public final class LaboratoryCommand {
  private LaboratoryCommand() {}

  static void main(String[] arguments) {
    var line = new CommandLine(new LaboratoryCommand());
    line.setExecutionExceptionHandler((failure, command, words) -> told(failure));
    System.exit(line.execute(arguments));
  }

  /// What a person can do something about is one line; anything else keeps its stack trace.
  ///
  /// @return exit code of sysexits.h for a bad value, 1 when the laboratory failed
  private static int told(Exception failure) throws Exception {
    return switch (failure) {
      case IllegalArgumentException badValue -> told(badValue, 64);
      case IllegalStateException failed -> told(failed, 1);
      default -> throw failure;
    };
  }

  private static int told(Exception failure, int status) {
    System.err.println("viaduct: " + failure.getMessage());
    return status;
  }
}
