package io.viaduct.cnapt.operations;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.viaduct.cnapt.operations.MetersOf.Label;
import io.viaduct.cnapt.peer.PeerRefusal;
import io.viaduct.cnapt.peer.PeerServer;
import io.viaduct.cnapt.peer.PeerSources;
import io.viaduct.cnapt.tunnel.DataCounters;

/// The meters of a tunnel to a peer, at either end.
public record PeerMeters(DataCounters data, PeerSources sources) implements MeterBinder {
  @Override
  public void bindTo(MeterRegistry registry) {
    MetersOf<DataCounters> meters = new MetersOf<>(registry, data);
    meters.total(
        "viaduct_peer_watchdogs",
        "Times that the probes of a path have stopped",
        DataCounters::watchdogs);
    meters.total(
        "viaduct_peer_misled",
        "Datagrams of a known address that came to another address of this end than before",
        DataCounters::misled);
    meters.gauge(
        "viaduct_peer_refused_pairs",
        null,
        "Pairs of a link and an address that are no path, because there are 8 already",
        DataCounters::refusedPairs);
    new MetersOf<>(registry, sources)
        .total(
            "viaduct_peer_refused_sources",
            "Packets of the peer with a source outside of its prefixes",
            PeerSources::refused);
  }

  /// The meters of an end that listens.
  public record Listening(PeerServer server) implements MeterBinder {
    @Override
    public void bindTo(MeterRegistry registry) {
      new MetersOf<>(registry, server)
          .totals(
              "viaduct_peer_refusals",
              "Connections that were refused before they changed anything, by reason",
              Label.of("reason", PeerRefusal.values(), PeerRefusal::label),
              PeerServer::refusals);
    }
  }
}
