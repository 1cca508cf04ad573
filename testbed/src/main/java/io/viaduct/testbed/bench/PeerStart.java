package io.viaduct.testbed.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/// Starts the peers; one that does not start is left out with the reason, unless it is ours.
final class PeerStart {
  private static final long PATIENCE_NS = 30_000_000_000L; // tinc searches its path MTU for long

  private final Ground ground;
  private final PrintStream progress;
  private final LongSupplier nanoTime;

  PeerStart(Ground ground, PrintStream progress, LongSupplier nanoTime) {
    this.ground = ground;
    this.progress = progress;
    this.nanoTime = nanoTime;
  }

  /// Those that run and carry packets.
  ///
  /// @param missing gets the others' names, with the reason
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

  /// @throws IllegalStateException when none comes back
  void awaitFirstPacket(Peer peer) {
    if (FirstPacket.awaitNs(ground, peer.target(), PATIENCE_NS, nanoTime) < 0) {
      throw new IllegalStateException("no packet passes");
    }
  }
}
