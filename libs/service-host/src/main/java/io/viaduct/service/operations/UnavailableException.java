package io.viaduct.service.operations;

/// Thrown if a process does not run or does not answer a command. The message is written for
/// operators. The command ends with exit code 69 (EX_UNAVAILABLE of sysexits.h).
public final class UnavailableException extends Exception {
  /// Exit code of a command whose process does not answer.
  public static final int EXIT_CODE = 69;

  private static final long serialVersionUID = 1L;

  /// @param message what does not answer, and what to do
  public UnavailableException(String message) {
    super(message);
  }
}
