package io.viaduct.cnapt;

import io.viaduct.host.cgroup.ControlGroup;
import io.viaduct.service.operations.OperationsClient;
import io.viaduct.service.operations.UnavailableException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.databind.json.JsonMapper;

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

  /// Returns the agent's explanation of flows as JSON.
  ///
  /// @param local local port; empty for any
  /// @throws UnavailableException if no agent answers
  String explanation(String remote, String local) throws UnavailableException {
    String query = "?remote=" + encoded(remote) + "&local=" + encoded(local);
    return OperationsClient.act(where(), FlowQuestions.PATH + query, TIMEOUT);
  }

  /// Returns the control group whose processes stay outside the tunnel.
  ///
  /// @throws UnavailableException if no agent answers, or it cannot keep processes outside; the
  ///   message says why
  ControlGroup outsideGroup() throws UnavailableException {
    String answer = OperationsClient.act(where(), OutsideGroup.PATH, TIMEOUT);
    String directory =
        JsonMapper.shared().readTree(answer).path(OutsideGroup.DIRECTORY).asString("");
    return new ControlGroup(Path.of(directory));
  }

  private static String encoded(String value) {
    return URLEncoder.encode(value, StandardCharsets.UTF_8);
  }

  private Path where() {
    if (socket != null) {
      return socket;
    }
    return config == null ? DEFAULT : AgentReload.source(config).read().statusSocket();
  }
}
