package io.viaduct.cnapt;

import io.viaduct.service.configuration.ConfigurationSource;
import io.viaduct.service.reload.ConfigurationReload;
import java.io.IOException;

/// An agent that `cnapt up` runs: of a device with a SNAPT, or of one end of a tunnel to a peer.
interface CarryingAgent extends AutoCloseable {
  /// Starts all parts. Returns when the routes are set; it does not wait for the other end.
  ///
  /// @throws IOException if the kernel refuses addresses, rules or routes, or a port is taken
  void start() throws IOException;

  /// Returns the configuration reload of this started agent.
  ConfigurationReload<CnaptConfiguration> reload(ConfigurationSource<CnaptConfiguration> source);

  /// Returns what this running agent can change.
  LiveChanges changes();

  @Override
  void close();
}
