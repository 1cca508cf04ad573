package io.viaduct.tunnel.session;

/// Decides how long the simulations run, holds their seed, and prints their progress.
final class SimulationProgress {
  /// Packets of each simulation: 100,000 normally; `viaduct test --nightly` asks for ten million.
  private static final long PACKETS = Long.getLong("viaduct.simulation.packets", 100_000);

  /// Seed of the whole series. Each run has a seed of its own, which a failure prints.
  static final long SEED = Long.getLong("viaduct.simulation.seed", System.nanoTime());

  private static final long REPORTED_EVERY = 500_000;

  private final String name;
  private final long startedMs = System.currentTimeMillis();
  private long packets;
  private long sent;
  private long delivered;

  SimulationProgress(String name) {
    this.name = name;
  }

  boolean goesOn() {
    return packets < PACKETS;
  }

  /// Counts a run that has ended well.
  ///
  /// @param offered packets
  /// @param sentOfThem packets that a network without loss would have delivered, superpackets cut
  void ran(int offered, long sentOfThem, long deliveredOfThem) {
    packets += offered;
    sent += sentOfThem;
    delivered += deliveredOfThem;
    if (!goesOn() || packets % REPORTED_EVERY == 0) {
      System.out.printf(
          "%s: seed %d, %d packets offered as %d segments, %d delivered, none wrong, %d s%n",
          name, SEED, packets, sent, delivered, (System.currentTimeMillis() - startedMs) / 1000);
    }
  }
}
