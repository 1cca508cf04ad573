package io.viaduct.host.process;

import io.viaduct.host.linux.Errno;
import io.viaduct.host.linux.SystemCalls;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;

/// Starts a program in place of this process, as a shell's `exec` does. The program has the process
/// id, control group, terminal, environment and open files of standard input and output, so signals
/// reach it and its exit code is that of this process.
public final class ProgramStart {
  private ProgramStart() {}

  /// Starts the program; returns only if it cannot be started.
  ///
  /// @param words the program, looked up in PATH, and its arguments
  /// @return the reason; a [NoSuchFileException] if there is no such program
  public static IOException replace(List<String> words) {
    SystemCalls calls = new SystemCalls();
    calls.unblockSignals(); // a JVM blocks SIGQUIT in its threads, and a program would inherit that
    int refused = calls.execvp(words);
    String program = words.getFirst();
    return Errno.of(refused) == Errno.ENOENT
        ? new NoSuchFileException(program, null, "there is no such program")
        : new IOException("%s: cannot be run: %s".formatted(program, Errno.text(refused)));
  }
}
