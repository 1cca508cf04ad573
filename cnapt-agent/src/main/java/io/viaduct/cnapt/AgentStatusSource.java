package io.viaduct.cnapt;

import io.viaduct.cnapt.egress.EgressRouting;
import io.viaduct.cnapt.links.LinkStatus;
import io.viaduct.cnapt.mobility.StrayRoutes;
import io.viaduct.cnapt.operations.AgentStatus;
import io.viaduct.cnapt.signalling.SignallingStatus;
import io.viaduct.cnapt.tunnel.DataStatus;
import io.viaduct.service.operations.ProcessMetrics;
import java.util.List;
import java.util.Map;

/// Collects the status of a device's running agent from its parts.
record AgentStatusSource(
    HostTunnel tunnel,
    EgressRouting routes,
    UsedSnapts snapts,
    OperatorAccount account,
    StrayRoutes strays) {
  /// Returns the present status. Any thread except the data loop may call this.
  AgentStatus status() {
    DataStatus snapshot = tunnel.status();
    SignallingStatus told = account.tokens().status();
    SignallingStatus signalling = snapts.passes(snapshot) ? told.besideTunnel() : told;
    List<String> reasons = snapts.reasons(snapshot, signalling.probes());
    return new AgentStatus(
        snapts.first().word(reasons),
        reasons,
        ProcessMetrics.versionOf(Agent.class),
        ProcessHandle.current().pid(),
        tunnel.uptimeMs(),
        tunnel.tunStatus(routes.mtu()),
        snapts.first().session(),
        snapts.status(snapshot),
        snapts.directory(),
        snapts.watched(),
        snapts.first().control(account.authorities().expires()),
        account.receipts(snapts.first().takesReceipts()),
        signalling,
        null,
        tunnel.network().described(),
        links(),
        snapshot.paths(),
        routes.portal(),
        strays.present(),
        routes.keptOutside(),
        snapshot,
        tunnel.recorder().handovers().count(),
        tunnel.recorder().handovers().entries(),
        tunnel.recorder().carriers().entries());
  }

  private List<LinkStatus> links() {
    Map<String, String> portals = routes.portalsOnLinks();
    return tunnel.network().links().status().stream()
        .map(link -> link.behind(portals.getOrDefault(link.name(), "")))
        .toList();
  }
}
