package io.viaduct.cnapt;

import io.viaduct.service.operations.OperationsClient;
import io.viaduct.service.operations.UnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/// Detects a running agent by its status socket.
final class RunningAgent {
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  private RunningAgent() {}

  /// Checks that no agent answers on the socket.
  ///
  /// @throws IOException if an agent answers; the message names its process
  static void refuseSecond(Path socket) throws IOException {
    if (!Files.exists(socket)) {
      return;
    }
    String answer;
    try {
      answer = OperationsClient.status(socket, TIMEOUT);
    } catch (UnavailableException _) {
      return; // the socket is stale or not accessible; opening it later reports the error
    }
    throw new IOException(
        "already running as process %s, which answers on %s: stop it first (SIGTERM), or give this one its own status-socket, tun.name and routing"
            .formatted(processOf(answer), socket));
  }

  private static String processOf(String status) {
    try {
      return JsonMapper.shared().readTree(status).path("pid").asString("(unknown number)");
    } catch (JacksonException _) {
      return "(unknown number)"; // the program on the socket is not an agent
    }
  }
}
