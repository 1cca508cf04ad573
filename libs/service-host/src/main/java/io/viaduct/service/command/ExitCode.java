package io.viaduct.service.command;

/// Exit codes of the processes (sysexits.h).
public final class ExitCode {
  /// Success.
  public static final int OK = 0;

  /// A defect of the program: picocli prints the stack trace.
  public static final int DEFECT = 1;

  /// Wrong usage of the command line.
  public static final int USAGE = 64;

  /// A required socket, file, database or process is not available.
  public static final int UNAVAILABLE = 69;

  /// The kernel refused permission.
  public static final int PERMISSION = 77;

  /// The configuration is refused.
  public static final int CONFIGURATION = 78;

  private ExitCode() {}
}
