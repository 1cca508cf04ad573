package io.viaduct.testbed.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/// Starts the peers. A peer that does not start is left out with the reason, unless it is ours.
final class PeerStart {
  private static final long PATIENCE_NS = 30_000_000_000L; // tinc's path MTU search is slow

  private final BenchNetwork network;
  private final PrintStream progress;
  private final LongSupplier nanoTime;

  PeerStart(BenchNetwork network, PrintStream progress, LongSupplier nanoTime) {
    this.network = network;
    this.progress = progress;
    this.nanoTime = nanoTime;
  }

  /// Starts peers and returns those that carry packets.
  ///
  /// @param missing receives the names of the other peers, with the reason
  /// @throws IllegalStateException when ours does not start
  List<Peer> all(List<Peer> peers, Map<String, String> missing) throws IOException {
    var running = new ArrayList<Peer>();
    for (Peer peer : peers) {
      try {
        peer.start();
        awaitFirstPacket(peer);
        running.add(peer);
        progress.printf("%s: %s%n", peer.name(), peer.note());
      } catch (IllegalStateException e) {
        if (peer.role() == Role.OURS || peer.role() == Role.DIRECT) {
          throw e;
        }
        peer.close();
        missing.put(peer.name(), String.valueOf(e.getMessage()));
        progress.printf("%s is left out: %s%n", peer.name(), e.getMessage());
      }
    }
    return running;
  }

  /// Waits until a packet returns.
  ///
  /// @throws IllegalStateException when none returns
  void awaitFirstPacket(Peer peer) {
    if (FirstPacket.awaitNs(network, peer.target(), PATIENCE_NS, nanoTime) < 0) {
      throw new IllegalStateException("no packet passes");
    }
  }
}
