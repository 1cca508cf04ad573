package io.viaduct.cnapt.egress;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Runs iproute2's `ip` with a batch of commands on its standard input, so that many changes need
/// one process.
final class IpCommand {
  private static final int SECONDS_MAX = 10;

  private IpCommand() {}

  /// Runs all commands; the first failure ends the batch.
  ///
  /// @throws IOException if a command fails; the message names it and the kernel's answer
  static void run(AddressFamily family, List<String> commands) throws IOException {
    Outcome outcome = start(family, List.of("-batch", "-"), commands);
    if (outcome.code != 0) {
      throw new IOException(
          "ip %s refused: %s (of: %s)"
              .formatted(family.option, outcome.words, String.join("; ", commands)));
    }
  }

  /// Runs all commands, and continues after a failure. For the removal of settings that may not
  /// exist.
  static void runAnyway(AddressFamily family, List<String> commands) throws IOException {
    start(family, List.of("-force", "-batch", "-"), commands);
  }

  /// Returns the output of one command, or an empty text if it fails.
  static String output(AddressFamily family, String command) throws IOException {
    Outcome outcome = start(family, List.of("-batch", "-"), List.of(command));
    return outcome.code == 0 ? outcome.words : "";
  }

  private record Outcome(int code, String words) {}

  private static Outcome start(AddressFamily family, List<String> options, List<String> commands)
      throws IOException {
    List<String> line = new ArrayList<>(List.of("ip", family.option));
    line.addAll(options);
    Process process;
    try {
      process = new ProcessBuilder(line).redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new IOException("'ip' must be installed (package iproute2): " + e.getMessage(), e);
    }
    try (OutputStream input = process.getOutputStream()) {
      input.write((String.join("\n", commands) + "\n").getBytes(UTF_8));
    } catch (IOException _) {
      // The process has ended early; its output has the reason.
    }
    String words = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
    try {
      if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IOException("ip has not ended within " + SECONDS_MAX + " s");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
      throw new IOException("interrupted while ip ran");
    }
    return new Outcome(process.exitValue(), words.replaceAll("\\s*\\n\\s*", "; "));
  }
}
