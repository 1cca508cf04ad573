package io.viaduct.snapt.egress;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Runs one command of the host (`ip`, `nft`) and waits for its end. It blocks, so event loops must
/// not call it.
final class HostCommand {
  private static final int SECONDS_MAX = 10;

  private HostCommand() {}

  /// @param input text for the command's standard input, ASCII
  /// @return what it has written
  /// @throws IOException if the command is missing, fails or does not end within 10 s; on failure,
  ///   the message contains the command's output
  static String run(String input, String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (var in = process.getOutputStream()) {
      in.write(input.getBytes(StandardCharsets.US_ASCII));
    }
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IOException(String.join(" ", command) + ": no end after 10 s");
      }
    } catch (InterruptedException _) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException(String.join(" ", command) + ": interrupted");
    }
    if (process.exitValue() != 0) {
      throw new IOException(
          "%s: exit code %d: %s"
              .formatted(String.join(" ", List.of(command)), process.exitValue(), output.strip()));
    }
    return output;
  }
}
