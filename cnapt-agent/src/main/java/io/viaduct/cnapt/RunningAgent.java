package io.viaduct.cnapt;

import io.viaduct.service.operations.OperationsClient;
import io.viaduct.service.operations.UnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/// An agent that runs already, as its status socket tells it.
final class RunningAgent {
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  private RunningAgent() {}

  /// Returns if no agent answers on the socket.
  ///
  /// @throws IOException naming the process that does
  static void refuseSecond(Path socket) throws IOException {
    if (!Files.exists(socket)) {
      return;
    }
    String answer;
    try {
      answer = OperationsClient.status(socket, TIMEOUT);
    } catch (UnavailableException _) {
      return; // left behind by a killed agent, or not ours: opening it tells
    }
    throw new IOException(
        "already running as process %s, which answers on %s: stop it first (SIGTERM), or give this one its own status-socket, tun.name and routing"
            .formatted(processOf(answer), socket));
  }

  private static String processOf(String status) {
    try {
      return JsonMapper.shared().readTree(status).path("pid").asString("of unknown number");
    } catch (JacksonException _) {
      return "of unknown number"; // a program that is no agent
    }
  }
}
