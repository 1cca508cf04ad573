package io.viaduct.cnapt;

import io.viaduct.host.cgroup.ControlGroup;
import io.viaduct.host.process.ProgramStart;
import io.viaduct.service.operations.UnavailableException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `cnapt outside`: runs a program outside the tunnel, or keeps a running one outside from now on.
@Command(
    name = "outside",
    description = {
      "Run a program outside the tunnel, or keep a running one outside.",
      "The sockets of the program, and of all programs that it starts, take the links of this device."
          + " The program runs in place of this command, as the same user, and ends with its own"
          + " exit code; 127 if there is no such program, 126 if it cannot be run."
    },
    mixinStandardHelpOptions = true,
    modelTransformer = OutsideCommand.OptionsFirst.class)
final class OutsideCommand implements Callable<Integer> {
  // As env(1) and shells do.
  private static final int NOT_FOUND = 127;
  private static final int NOT_RUN = 126;

  /// Leaves the options behind the program to the program.
  static final class OptionsFirst implements IModelTransformer {
    @Override
    public CommandSpec transform(CommandSpec spec) {
      spec.parser().stopAtPositional(true);
      return spec;
    }
  }

  @Mixin AgentSocket agent = new AgentSocket();

  @Option(
      names = "--pid",
      paramLabel = "PID",
      description =
          "a running process instead of a program: sockets that it creates from now on, and"
              + " processes that it starts from now on; its open connections stay in the tunnel")
  @Nullable Long pid;

  @Parameters(
      arity = "0..*",
      paramLabel = "PROGRAM",
      description = "the program and its arguments, behind all options of this command")
  List<String> program = List.of();

  @Spec CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws UnavailableException, IOException {
    Long running = pid;
    if ((running == null) == program.isEmpty()) {
      throw new ParameterException(spec.commandLine(), "give either a program or --pid");
    }
    ControlGroup group = agent.outsideGroup();
    if (running != null) {
      group.add(running);
      return 0;
    }
    group.add(ProcessHandle.current().pid());
    IOException refused = ProgramStart.replace(program);
    spec.commandLine().getErr().println("cnapt: " + refused.getMessage());
    spec.commandLine().getErr().flush();
    return refused instanceof NoSuchFileException ? NOT_FOUND : NOT_RUN;
  }
}
