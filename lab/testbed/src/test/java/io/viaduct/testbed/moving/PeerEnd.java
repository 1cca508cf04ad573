package io.viaduct.testbed.moving;

import io.viaduct.testbed.process.ServiceProcess;
import io.viaduct.testbed.process.StatusSocket;
import io.viaduct.testbed.topology.NetworkNamespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/// One end of a tunnel between peers: the packaged `cnapt` in a namespace, with its key and its
/// configuration.
final class PeerEnd {
  private final Path root;
  private final Path directory;
  private final String name;
  private final NetworkNamespace host;
  final String key;

  /// Makes the key of the end, as a user does.
  PeerEnd(Path root, Path directory, String name, NetworkNamespace host) throws IOException {
    this.root = root;
    this.directory = directory;
    this.name = name;
    this.host = host;
    this.key = keygen();
  }

  private String keygen() throws IOException {
    Path output = directory.resolve("keygen-" + name + ".log");
    ServiceProcess made =
        ServiceProcess.start(
            "keygen-" + name, host, command("keygen", pem().toString()), directory);
    if (made.awaitEnd() != 0) {
      throw new IllegalStateException("cnapt keygen: " + made.lastLines(10));
    }
    Matcher found = Pattern.compile("\"([A-Za-z0-9_-]{43})\"").matcher(Files.readString(output));
    if (!found.find()) {
      throw new IllegalStateException("no key in " + Files.readString(output));
    }
    return found.group(1);
  }

  private Path pem() {
    return directory.resolve(name + ".pem");
  }

  private Path socket() {
    return directory.resolve(name + ".sock");
  }

  private List<String> command(String... arguments) {
    List<String> words =
        new java.util.ArrayList<>(
            List.of(
                "env",
                "JAVA_HOME=" + System.getProperty("java.home"),
                root.resolve("bin/cnapt").toString()));
    words.addAll(List.of(arguments));
    return words;
  }

  /// Starts the agent.
  ///
  /// @param peer lines of `peer: {…}` but the key
  /// @param theirKey the other end's public key
  /// @param inner inner address of this end
  ServiceProcess start(String theirKey, String inner, int operationsPort, String peer)
      throws IOException {
    Path file = directory.resolve(name + ".yml");
    Files.writeString(
        file,
        """
        device-key: %s
        peer: {key: "%s", %s}
        tun: {name: %s, ipv4: %s, ipv6: ""}
        status-socket: %s
        operations: {port: %d}
        """
            .formatted(pem(), theirKey, peer, name, inner, socket(), operationsPort));
    return ServiceProcess.start(name, host, command("up", "--config", file.toString()), directory);
  }

  /// Returns the status; the agent may still be starting.
  JsonNode status() throws IOException {
    return StatusSocket.read(socket());
  }

  /// Returns the paths that carry data, as `link address`, in order.
  List<String> used() {
    try {
      return status()
          .path("paths")
          .valueStream()
          .filter(path -> !path.path("use").asString("").equals("no"))
          .filter(path -> !path.path("state").asString("").equals("dead"))
          .map(path -> path.path("link").asString("") + " " + path.path("remote").asString(""))
          .sorted()
          .toList();
    } catch (IOException _) {
      return List.of(); // it has not started yet
    }
  }

  /// Returns what `cnapt paths` prints.
  String paths() {
    return host.run(command("paths", "--socket", socket().toString()).toArray(String[]::new));
  }

  NetworkNamespace host() {
    return host;
  }
}
