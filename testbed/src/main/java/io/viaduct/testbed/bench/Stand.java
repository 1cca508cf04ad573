package io.viaduct.testbed.bench;

import io.viaduct.testbed.Laboratory;
import io.viaduct.testbed.deployment.Deployment;
import io.viaduct.testbed.deployment.Passwords;
import io.viaduct.testbed.process.StatusSocket;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/// What every benchmark stands on: the network, keys and configuration of a deployment, and a
/// private directory.
///
/// @param directory gone with the run
record Stand(
    Ground ground, Path directory, Deployment deployment, Passwords passwords, BenchOptions options)
    implements AutoCloseable {
  private static final Duration INTERVAL =
      Duration.ofSeconds(60); // as SNAPT and bridge are shipped

  static Stand open(BenchOptions options) throws Exception {
    Path directory = Laboratory.mountPrivate(options.outer());
    Ground ground = Ground.prepare(Topology.lay());
    Passwords passwords = Passwords.draw(new SecureRandom());
    var deployment =
        Deployment.prepare(options.root(), directory, passwords, INTERVAL, System::nanoTime);
    FirstPacket.startEcho(ground.far());
    return new Stand(ground, directory, deployment, passwords, options);
  }

  /// Ours, not started yet.
  ///
  /// @param agentLines added to the agent's configuration
  ViaductPeer viaduct(String agentLines) {
    return viaduct(agentLines, "");
  }

  /// @param tunnelLines added to the agent's and the SNAPT's
  ViaductPeer viaduct(String agentLines, String tunnelLines) {
    return new ViaductPeer(
        ViaductPeer.Place.FIRST, deployment, passwords, agentLines, tunnelLines, System::nanoTime);
  }

  /// Ours once more beside the first, which is started before.
  ///
  /// @param tunnelLines added to the agent's and the SNAPT's
  ViaductPeer secondViaduct(String tunnelLines) {
    ground.prepareSecond();
    FirstPacket.startEcho(ground.secondFar());
    return new ViaductPeer(
        ViaductPeer.Place.SECOND, deployment, passwords, "", tunnelLines, System::nanoTime);
  }

  /// Starts peers none of which may be left out.
  void start(List<Peer> peers) throws IOException {
    startAll(peers, new LinkedHashMap<>());
  }

  /// Those that run and carry packets.
  ///
  /// @param missing gets the others' names, with the reason
  List<Peer> startAll(List<Peer> peers, Map<String, String> missing) throws IOException {
    return starting().all(peers, missing);
  }

  private PeerStart starting() {
    return new PeerStart(ground, System.err, System::nanoTime);
  }

  /// Starts a download from behind a peer.
  LongDownload download(Peer peer, int rateBitPerSecond, long seed) {
    return new LongDownload(ground, peer.target(), rateBitPerSecond, seed, System::nanoTime);
  }

  /// What a running process says of itself.
  JsonNode status(String process) throws IOException {
    return StatusSocket.read(deployment.plans().socket(process));
  }

  /// @param command that gives the same run again
  Map<String, String> conditions(String command) throws IOException {
    return Machine.conditions(ground, command, Instant.now());
  }

  /// Keeps the logs.
  @Override
  public void close() throws IOException {
    Laboratory.keepLogs(directory, options.root().resolve("build/lab"));
  }
}
