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

/// A process's command line: wrong usage and refusals end with the codes of [ExitCode], a refusal
/// as one line on standard error, `<command>: <message>`.
public final class ProcessCommandLine {
  private ProcessCommandLine() {}

  /// @param command annotated for picocli
  /// @param others the exit code of any exception but a refused configuration and a process that
  ///   does not answer; [ExitCode#DEFECT] for one that nobody foresaw
  public static CommandLine of(Object command, ToIntFunction<Exception> others) {
    CommandLine line = new CommandLine(command);
    IVersionProvider version =
        () ->
            new String[] {
              line.getCommandName() + " " + ProcessMetrics.versionOf(command.getClass())
            };
    prepare(line.getCommandSpec(), version);
    line.getSubcommands().values().forEach(verb -> prepare(verb.getCommandSpec(), version));
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

  // Every command of every process knows --help and --version.
  private static void prepare(CommandSpec spec, IVersionProvider version) {
    spec.exitCodeOnInvalidInput(ExitCode.USAGE);
    if (spec.findOption("--help") == null) {
      spec.mixinStandardHelpOptions(true);
    }
    spec.versionProvider(version);
  }

  /// The one line by which a service is started, `<verb> --config FILE`, without picocli: to load
  /// and verify it (a start cache takes no classes as old as its) and to read annotations takes a
  /// fifth of an agent's start.
  ///
  /// @param name of the command, as a refusal shows it
  /// @return the exit code, nothing for any other line, which is for [#of]
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
    } catch (Exception failure) { // whatever it is, it ends the process
      int code = codeOf(failure, others);
      if (code == ExitCode.DEFECT) {
        failure.printStackTrace();
      } else {
        System.err.println(name + ": " + message(failure));
      }
      return OptionalInt.of(code);
    }
  }

  /// What a verb does with its configuration file.
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

  /// The message, and that of the root cause if the message does not hold it.
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
