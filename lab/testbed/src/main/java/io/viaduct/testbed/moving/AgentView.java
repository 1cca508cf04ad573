package io.viaduct.testbed.moving;

import io.viaduct.testbed.process.FlowLinks;
import io.viaduct.testbed.process.StatusSocket;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/// An agent as its status shows it.
///
/// @param socket of the status
public record AgentView(Path socket) {
  /// Returns the whole status.
  JsonNode status() throws IOException {
    return StatusSocket.read(socket);
  }

  /// Returns the SNAPT of the first session; empty without one.
  String at() throws IOException {
    return status().path("session").path("snapt").asString("");
  }

  /// Returns how many SNAPTs carry.
  long carrying() throws IOException {
    return status()
        .path("snapts")
        .valueStream()
        .filter(each -> each.path("state").asString("").equals("carrying"))
        .count();
  }

  /// Returns the inner bytes that the agent has carried since its start, in both directions.
  long carriedBytes() throws IOException {
    return status()
        .path("data")
        .path("classes")
        .valueStream()
        .mapToLong(each -> each.path("preBytes").asLong(0))
        .sum();
  }

  /// Returns the links whose paths carry data, ordered by name.
  public List<String> used() throws IOException {
    return status()
        .path("paths")
        .valueStream()
        .filter(path -> !path.path("use").asString("").equals("no"))
        .map(path -> path.path("link").asString(""))
        .sorted()
        .toList();
  }

  /// Waits until a flow to a remote end leaves by one of these links.
  ///
  /// @param remote beginning of `address:port`
  /// @param links their names at the device
  /// @return the link of the newest such flow
  String awaitLinkTo(String remote, List<String> links) throws Exception {
    List<String> found = new ArrayList<>();
    MovingLab.await(
        () -> {
          FlowLinks.newestTo(remote, status()).filter(links::contains).ifPresent(found::add);
          return !found.isEmpty();
        },
        "a flow to " + remote + " leaves by one of " + links);
    return found.getFirst();
  }

  /// Waits until exactly these links carry data.
  void awaitUsed(String... links) throws Exception {
    MovingLab.await(() -> used().equals(List.of(links)), "the links in use are " + List.of(links));
  }
}
