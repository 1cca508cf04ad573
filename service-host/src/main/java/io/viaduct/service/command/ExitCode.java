package io.viaduct.service.command;

/// How a process ends (sysexits.h).
public final class ExitCode {
  /// Done as told.
  public static final int OK = 0;

  /// A defect of ours: picocli prints the stack trace.
  public static final int DEFECT = 1;

  /// Wrong usage of the command line.
  public static final int USAGE = 64;

  /// A socket, file, database or process that is needed could not be had.
  public static final int UNAVAILABLE = 69;

  /// The kernel did not let us.
  public static final int PERMISSION = 77;

  /// The configuration is refused.
  public static final int CONFIGURATION = 78;

  private ExitCode() {}
}
