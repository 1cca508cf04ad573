package io.viaduct.testbed;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/// The first process of the laboratory's namespaces.
@Command(
    name = "laboratory",
    mixinStandardHelpOptions = true,
    subcommands = {
      io.viaduct.testbed.demo.DemoCommand.class,
      io.viaduct.testbed.bench.BenchCommand.class
    })
public final class LaboratoryCommand {
  private LaboratoryCommand() {}

  static void main(String[] arguments) {
    System.exit(new CommandLine(new LaboratoryCommand()).execute(arguments));
  }
}
