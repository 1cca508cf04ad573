package io.viaduct.snapt.egress;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Runs one command of the machine (`ip`, `nft`) to its end. Blocks: at start and stop only.
final class HostCommand {
  private static final int SECONDS_MAX = 10;

  private HostCommand() {}

  /// @param input what the command reads
  /// @throws IOException if it is missing, fails or hangs; the message holds what it said
  static void run(String input, String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (var in = process.getOutputStream()) {
      in.write(input.getBytes(StandardCharsets.US_ASCII));
    }
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
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
              .formatted(String.join(" ", List.of(command)), process.exitValue(), said.strip()));
    }
  }
}
