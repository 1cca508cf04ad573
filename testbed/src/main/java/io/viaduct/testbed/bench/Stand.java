package io.viaduct.testbed.bench;

import io.viaduct.testbed.Laboratory;
import io.viaduct.testbed.deployment.Deployment;
import io.viaduct.testbed.deployment.Passwords;
import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;

/// What every benchmark stands on: the network, keys and configuration of a deployment, and a
/// private directory.
///
/// @param directory gone with the run
record Stand(
    Ground ground, Path directory, Deployment deployment, Passwords passwords, BenchOptions options)
    implements AutoCloseable {
  static Stand open(BenchOptions options) throws Exception {
    Path directory = Laboratory.mountPrivate(options.outer());
    Ground ground = Ground.prepare(Topology.lay());
    Passwords passwords = Passwords.draw(new SecureRandom());
    var deployment = Deployment.prepare(options.root(), directory, passwords, System::nanoTime);
    FirstPacket.startEcho(ground);
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
    return new ViaductPeer(deployment, passwords, agentLines, tunnelLines, System::nanoTime);
  }

  /// Keeps the logs.
  @Override
  public void close() throws IOException {
    Laboratory.keepLogs(directory, options.root().resolve("build/lab"));
  }
}
