package io.viaduct.cnapt;

import io.viaduct.service.operations.OperationsClient;
import io.viaduct.service.operations.UnavailableException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The options by which a command finds the running agent.
final class AgentSocket {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final Path DEFAULT = Path.of("/run/viaduct/cnapt.sock");

  @Option(names = "--config", description = "file that names the socket")
  @Nullable Path config;

  @Option(names = "--socket", description = "the agent's Unix socket")
  @Nullable Path socket;

  /// Returns the agent's status as JSON.
  ///
  /// @throws UnavailableException if no agent answers
  String status() throws UnavailableException {
    return OperationsClient.status(where(), TIMEOUT);
  }

  private Path where() {
    if (socket != null) {
      return socket;
    }
    return config == null ? DEFAULT : AgentReload.source(config).read().statusSocket();
  }
}
