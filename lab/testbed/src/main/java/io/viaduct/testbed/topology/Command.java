package io.viaduct.testbed.topology;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Runs short commands of the host (`ip`, `nft`, `mount`) to their end.
public final class Command {
  private Command() {}

  /// Runs a command and returns its output.
  ///
  /// @throws IllegalStateException with the command and its arguments when the exit code is not 0
  public static String run(String... words) {
    return run(List.of(words), "");
  }

  static String run(List<String> words, String input) {
    try {
      Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
      try (var stdin = process.getOutputStream()) {
        stdin.write(input.getBytes(StandardCharsets.UTF_8));
      }
      String output =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      int status = process.waitFor();
      if (status != 0) {
        throw new IllegalStateException(
            "'%s' ended with %d: %s".formatted(String.join(" ", words), status, output));
      }
      return output;
    } catch (IOException e) {
      throw new UncheckedIOException(String.join(" ", words), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted in " + String.join(" ", words), e);
    }
  }

  /// Returns true if a program is installed.
  public static boolean exists(String program) {
    for (String directory : System.getenv("PATH").split(":")) {
      if (java.nio.file.Files.isExecutable(java.nio.file.Path.of(directory, program))) {
        return true;
      }
    }
    return false;
  }
}
