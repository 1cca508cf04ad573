package io.viaduct.testbed.bench;

import io.viaduct.testbed.deployment.Deployment;
import io.viaduct.testbed.deployment.Passwords;
import io.viaduct.testbed.process.StatusSocket;
import io.viaduct.testbed.report.BenchOptions;
import io.viaduct.testbed.topology.Laboratory;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/// Environment of every benchmark: the network, keys and configuration of a deployment, and a
/// private directory.
///
/// @param directory disappears with the run
record BenchEnvironment(
    BenchNetwork network,
    Path directory,
    Deployment deployment,
    Passwords passwords,
    BenchOptions options)
    implements AutoCloseable {
  private static final Duration INTERVAL =
      Duration.ofSeconds(60); // the default of SNAPT and bridge

  static BenchEnvironment open(BenchOptions options) throws Exception {
    return open(options, Topology.lay());
  }

  static BenchEnvironment open(BenchOptions options, Topology topology) throws Exception {
    Path directory = Laboratory.mountPrivate(options.outer());
    BenchNetwork network = BenchNetwork.prepare(topology);
    Passwords passwords = Passwords.draw(new SecureRandom());
    var deployment =
        Deployment.prepare(options.root(), directory, passwords, INTERVAL, System::nanoTime);
    FirstPacket.startEcho(network.far());
    return new BenchEnvironment(network, directory, deployment, passwords, options);
  }

  /// Returns our tunnel, not started yet.
  ///
  /// @param agentLines added to the agent's configuration
  ViaductPeer viaduct(String agentLines) {
    return viaduct(agentLines, "");
  }

  /// Returns our tunnel, not started yet.
  ///
  /// @param agentLines added to the agent's configuration
  /// @param tunnelLines added to the agent's and the SNAPT's configuration
  ViaductPeer viaduct(String agentLines, String tunnelLines) {
    return viaduct(new ViaductPeer.Lines(ViaductPeer.ONE_LINK, agentLines, tunnelLines, false));
  }

  /// Returns our tunnel, not started yet.
  ViaductPeer viaduct(ViaductPeer.Lines lines) {
    return new ViaductPeer(ViaductPeer.Place.FIRST, deployment, passwords, lines, System::nanoTime);
  }

  /// Returns our second tunnel, which runs beside the first. The first must be started before.
  ViaductPeer secondViaduct(ViaductPeer.Lines lines) {
    network.prepareSecond();
    FirstPacket.startEcho(network.secondFar());
    return new ViaductPeer(
        ViaductPeer.Place.SECOND, deployment, passwords, lines, System::nanoTime);
  }

  /// Returns the line of the agent's configuration that gives each class its ports.
  String classLines() throws IOException {
    Path file = directory.resolve("applications.yml");
    Files.writeString(file, TrafficClass.applications());
    return "applications: " + file + "\n";
  }

  /// Starts a download through a peer.
  LongDownload download(Peer peer, int rateBitPerSecond, long seed) {
    return new LongDownload(network, peer.target(), rateBitPerSecond, seed, System::nanoTime);
  }

  /// Returns the status of a running process.
  JsonNode status(String process) throws IOException {
    return StatusSocket.read(deployment.plans().socket(process));
  }

  /// Writes status and metrics of a service beside the logs, as evidence of a failure.
  void keep(String service) throws IOException {
    Files.writeString(
        directory.resolve(service + "-status.log"),
        status(service).toPrettyString() + "\n\n" + deployment.metrics(service));
  }

  /// Writes the state of the TCP connections of both ends beside the logs, likewise.
  void keepConnections() throws IOException {
    Files.writeString(
        directory.resolve("connections.log"),
        network.far().run("ss", "-tinmo") + "\n" + network.device().run("ss", "-tinmo"));
  }

  /// Returns the conditions of the benchmark.
  Map<String, String> conditions() throws IOException {
    Map<String, String> conditions = options.conditions();
    conditions.put("gateways", network.isMasquerading() ? "masquerade" : "route");
    return conditions;
  }

  /// Keeps the logs.
  @Override
  public void close() throws IOException {
    Laboratory.keepLogs(directory, options.root().resolve("build/lab"));
  }
}
