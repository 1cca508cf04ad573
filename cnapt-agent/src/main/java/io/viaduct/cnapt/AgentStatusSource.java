package io.viaduct.cnapt;

import io.netty.channel.IoEventLoop;
import io.viaduct.cnapt.egress.EgressRouting;
import io.viaduct.cnapt.mobility.CarrierLog;
import io.viaduct.cnapt.mobility.HandoverLog;
import io.viaduct.cnapt.mobility.NetworkWatch;
import io.viaduct.cnapt.mobility.StrayRoutes;
import io.viaduct.cnapt.operations.AgentStatus;
import io.viaduct.cnapt.receipts.ReceiptLedger;
import io.viaduct.cnapt.signalling.SignallingStatus;
import io.viaduct.cnapt.signalling.TokenSource;
import io.viaduct.cnapt.tunnel.DataPath;
import io.viaduct.cnapt.tunnel.DataStatus;
import io.viaduct.service.operations.ProcessMetrics;
import java.util.List;
import java.util.function.LongSupplier;

/// Collects the status of a running agent from its parts.
final class AgentStatusSource {
  private final CnaptConfiguration configuration;
  private final LongSupplier nanoTime;
  private final long startedNs;
  private final IoEventLoop dataLoop;
  private final DataPath data;
  private final String tun;
  private final EgressRouting routes;
  private final UsedSnapts snapts;
  private final TrustedAuthorities authorities;
  private final ReceiptLedger receipts;
  private final TokenSource tokens;
  private final NetworkWatch network;
  private final StrayRoutes strays;
  private final HandoverLog handovers;
  private final CarrierLog carriers;

  /// Takes the parts of an agent that starts now.
  ///
  /// @param tun name of the TUN device
  AgentStatusSource(
      CnaptConfiguration configuration,
      LongSupplier nanoTime,
      IoEventLoop dataLoop,
      DataPath data,
      String tun,
      EgressRouting routes,
      UsedSnapts snapts,
      TrustedAuthorities authorities,
      ReceiptLedger receipts,
      TokenSource tokens,
      NetworkWatch network,
      StrayRoutes strays,
      HandoverLog handovers,
      CarrierLog carriers) {
    this.configuration = configuration;
    this.nanoTime = nanoTime;
    this.startedNs = nanoTime.getAsLong();
    this.dataLoop = dataLoop;
    this.data = data;
    this.tun = tun;
    this.routes = routes;
    this.snapts = snapts;
    this.authorities = authorities;
    this.receipts = receipts;
    this.tokens = tokens;
    this.network = network;
    this.strays = strays;
    this.handovers = handovers;
    this.carriers = carriers;
  }

  /// Returns the present status. Any thread except the data loop may call this.
  AgentStatus status() {
    DataStatus snapshot = dataLoop.submit(data::status).syncUninterruptibly().getNow();
    SignallingStatus told = tokens.status();
    SignallingStatus signalling = snapts.passes(snapshot) ? told.besideTunnel() : told;
    List<String> reasons = snapts.reasons(snapshot, signalling.probes());
    return new AgentStatus(
        snapts.first().word(reasons),
        reasons,
        ProcessMetrics.versionOf(Agent.class),
        ProcessHandle.current().pid(),
        (nanoTime.getAsLong() - startedNs) / 1_000_000,
        new AgentStatus.TunStatus(
            tun, configuration.tun().ipv4(), configuration.tun().ipv6(), routes.mtu()),
        snapts.first().session(),
        snapts.status(snapshot),
        snapts.watched(),
        snapts.first().control(authorities.expires()),
        new AgentStatus.ReceiptsStatus(
            snapts.first().takesReceipts(),
            receipts.of(ReceiptLedger.Outcome.SIGNED),
            receipts.of(ReceiptLedger.Outcome.COUNTS_DIFFER)
                + receipts.of(ReceiptLedger.Outcome.UNKNOWN_SESSION),
            receipts.owed()),
        signalling,
        null,
        network.described(),
        network.links().status(),
        snapshot.paths(),
        routes.portal(),
        strays.present(),
        snapshot,
        handovers.count(),
        handovers.entries(),
        carriers.entries());
  }
}
