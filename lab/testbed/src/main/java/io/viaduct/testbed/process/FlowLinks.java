package io.viaduct.testbed.process;

import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// The flows of an agent's status, and the links that they leave by.
public final class FlowLinks {
  private FlowLinks() {}

  /// Returns the link of the newest flow to a remote end; empty without one.
  ///
  /// @param status of the agent
  /// @param remote beginning of `address:port`
  public static Optional<String> newestTo(String remote, JsonNode status) {
    String link = null;
    long newestMs = Long.MAX_VALUE;
    for (JsonNode flow : status.path("data").path("flows")) {
      long ageMs = flow.path("ageMs").asLong(Long.MAX_VALUE);
      if (flow.path("remote").asString("").startsWith(remote) && ageMs < newestMs) {
        newestMs = ageMs;
        link = flow.path("link").asString("");
      }
    }
    return Optional.ofNullable(link);
  }
}
