package io.viaduct.service.command;

import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.service.operations.UnavailableException;
import java.util.function.ToIntFunction;
import picocli.CommandLine;

/// A process's command line: wrong usage and refusals end with the codes of [ExitCode], a refusal
/// as one line on standard error, `<command>: <message>`.
public final class ProcessCommandLine {
  private ProcessCommandLine() {}

  /// @param command annotated for picocli
  /// @param others the exit code of any exception but a refused configuration and a process that
  ///   does not answer; [ExitCode#DEFECT] for one that nobody foresaw
  public static CommandLine of(Object command, ToIntFunction<Exception> others) {
    CommandLine line = new CommandLine(command);
    line.getCommandSpec().exitCodeOnInvalidInput(ExitCode.USAGE);
    line.getSubcommands()
        .values()
        .forEach(verb -> verb.getCommandSpec().exitCodeOnInvalidInput(ExitCode.USAGE));
    line.setExecutionExceptionHandler((failure, _, _) -> {
      int code =
          switch (failure) {
            case ConfigurationException _ -> ExitCode.CONFIGURATION;
            case UnavailableException _ -> ExitCode.UNAVAILABLE;
            default -> others.applyAsInt(failure);
          };
      if (code == ExitCode.DEFECT) {
        throw failure;
      }
      line.getErr().println(line.getCommandName() + ": " + message(failure));
      line.getErr().flush();
      return code;
    });
    return line;
  }

  /// The message, and that of the root cause if the message does not hold it.
  private static String message(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    String message = failure.getMessage() == null ? failure.toString() : failure.getMessage();
    String cause = root.getMessage() == null ? root.toString() : root.getMessage();
    return root == failure || message.contains(cause) ? message : message + ": " + cause;
  }
}
