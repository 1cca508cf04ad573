package io.viaduct.service.command;

/// Exit codes of the processes (sysexits.h).
public final class ExitCode {
  /// Success.
  public static final int OK = 0;

  /// A defect of the program: picocli prints the stack trace.
  public static final int DEFECT = 1;

  /// The named thing does not exist.
  public static final int NOT_FOUND = 2;

  /// Wrong usage of the command line.
  public static final int USAGE = 64;

  /// A service refuses the request.
  public static final int REFUSED = 65;

  /// A local file that the command line names cannot be read or written.
  public static final int FILE = 66;

  /// A required socket, file, database or process is not available.
  public static final int UNAVAILABLE = 69;

  /// The service has too much to do: try again later.
  public static final int TRY_AGAIN = 75;

  /// The kernel or a service refused permission.
  public static final int PERMISSION = 77;

  /// The configuration is refused.
  public static final int CONFIGURATION = 78;

  private ExitCode() {}
}
