package io.viaduct.cnapt;

import io.viaduct.cnapt.egress.EgressRouting;
import io.viaduct.cnapt.operations.AgentStatus;
import io.viaduct.cnapt.peer.PeerServer;
import io.viaduct.cnapt.peer.PeerSettings;
import io.viaduct.cnapt.peer.PeerSources;
import io.viaduct.cnapt.tunnel.DataStatus;
import io.viaduct.service.operations.ProcessMetrics;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Collects the status of a running agent with a peer from its parts.
///
/// @param ownKey public key of this end
/// @param server null at the end that dials
record PeerStatusSource(
    HostTunnel tunnel,
    EgressRouting routes,
    PeerState state,
    PeerSettings peer,
    String ownKey,
    PeerSources sources,
    @Nullable PeerServer server) {
  /// Returns the present status. Any thread except the data loop may call this.
  AgentStatus status() {
    DataStatus snapshot = tunnel.status();
    List<String> reasons = state.reasons(snapshot, tunnel.data().counters().refusedPairs());
    return new AgentStatus(
        state.word(reasons),
        reasons,
        ProcessMetrics.versionOf(PeerAgent.class),
        ProcessHandle.current().pid(),
        tunnel.uptimeMs(),
        tunnel.tunStatus(routes.mtu()),
        state.session(),
        List.of(),
        List.of(),
        List.of(),
        state.control(),
        null,
        null,
        peerStatus(),
        tunnel.network().described(),
        tunnel.network().links().status(),
        snapshot.paths(),
        "",
        List.of(),
        routes.keptOutside(),
        snapshot,
        tunnel.recorder().handovers().count(),
        tunnel.recorder().handovers().entries(),
        tunnel.recorder().carriers().entries());
  }

  private AgentStatus.PeerStatus peerStatus() {
    return new AgentStatus.PeerStatus(
        peer.dials() ? "dials" : "listens",
        ownKey,
        peer.key(),
        peer.dials() ? peer.dial() : peer.listen(),
        peer.prefixes().stream().map(Object::toString).toList(),
        tunnel.data().counters().watchdogs(),
        sources.refused(),
        server == null ? Map.of() : server.refusals());
  }
}
