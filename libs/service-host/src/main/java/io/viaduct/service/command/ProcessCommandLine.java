package io.viaduct.service.command;

import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.service.operations.ProcessMetrics;
import io.viaduct.service.operations.UnavailableException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.function.ToIntFunction;
import picocli.CommandLine;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;

/// Builds a process's command line. Wrong usage and refusals end with the codes of [ExitCode]. A
/// refusal is one line on standard error, `<command>: <message>`.
public final class ProcessCommandLine {
  private ProcessCommandLine() {}

  /// @param command object annotated for picocli
  /// @param others returns the exit code of all exceptions except [ConfigurationException] and
  ///   [UnavailableException]; [ExitCode#DEFECT] for an unexpected one
  public static CommandLine of(Object command, ToIntFunction<Exception> others) {
    CommandLine line = new CommandLine(command);
    IVersionProvider version =
        () ->
            new String[] {
              line.getCommandName() + " " + ProcessMetrics.versionOf(command.getClass())
            };
    prepare(line.getCommandSpec(), version);
    line.setExecutionExceptionHandler((failure, _, _) -> {
      int code = codeOf(failure, others);
      if (code == ExitCode.DEFECT) {
        throw failure;
      }
      line.getErr().println(line.getCommandName() + ": " + message(failure));
      line.getErr().flush();
      return code;
    });
    return line;
  }

  // Gives every command, and those below it, --help and --version.
  private static void prepare(CommandSpec spec, IVersionProvider version) {
    spec.exitCodeOnInvalidInput(ExitCode.USAGE);
    if (spec.findOption("--help") == null) {
      spec.mixinStandardHelpOptions(true);
    }
    spec.versionProvider(version);
    spec.subcommands().values().forEach(below -> prepare(below.getCommandSpec(), version));
  }

  /// Runs the command line `<verb> --config FILE`, which starts a service, without picocli. Picocli
  /// takes a fifth of an agent's start: its classes are too old for a start cache, so the JVM loads
  /// and verifies them each time, and picocli reads annotations.
  ///
  /// @param name name of the command, shown in refusals
  /// @return the exit code; empty for every other command line, which [#of] handles
  public static OptionalInt start(
      String name,
      String verb,
      Service service,
      ToIntFunction<Exception> others,
      String... arguments) {
    if (arguments.length != 3 || !arguments[0].equals(verb) || !arguments[1].equals("--config")) {
      return OptionalInt.empty();
    }
    try {
      return OptionalInt.of(service.run(Path.of(arguments[2])));
    } catch (Exception failure) { // every exception ends the process
      int code = codeOf(failure, others);
      if (code == ExitCode.DEFECT) {
        failure.printStackTrace();
      } else {
        System.err.println(name + ": " + message(failure));
      }
      return OptionalInt.of(code);
    }
  }

  /// Runs a verb with its configuration file.
  public interface Service {
    /// Returns the exit code.
    int run(Path configuration) throws Exception;
  }

  private static int codeOf(Exception failure, ToIntFunction<Exception> others) {
    return switch (failure) {
      case ConfigurationException _ -> ExitCode.CONFIGURATION;
      case UnavailableException _ -> ExitCode.UNAVAILABLE;
      default -> others.applyAsInt(failure);
    };
  }

  /// Returns the message, followed by that of the root cause if it is not part of the message.
  private static String message(Throwable failure) {
    if (failure instanceof FileSystemException file && file.getFile() != null) {
      return Inaccessible.why(file);
    }
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    String message = failure.getMessage() == null ? failure.toString() : failure.getMessage();
    String cause = root.getMessage() == null ? root.toString() : root.getMessage();
    return root == failure || message.contains(cause) ? message : message + ": " + cause;
  }
}
