package io.viaduct.cnapt.egress;

import java.util.List;

/// Tells the search for captive portals what the agent knows about the network. Called on the
/// thread of [PortalWatch].
public interface ProbedNetwork {
  /// Returns the hosts of the SNAPTs that are known.
  List<String> snapts();

  /// Returns the links that are up, and by which no SNAPT has answered for some seconds.
  List<SilentLink> silentLinks();
}
