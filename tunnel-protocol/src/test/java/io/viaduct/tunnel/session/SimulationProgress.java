package io.viaduct.tunnel.session;

/// How long the simulations run, from which seed, and what they say meanwhile.
final class SimulationProgress {
  /// Of each simulation: 100,000 in the suite; `viaduct test --nightly` asks for ten million.
  private static final long PACKETS = Long.getLong("viaduct.simulation.packets", 100_000);

  /// Of the whole; each run has its own, which a failure prints.
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

  /// A run has ended well.
  ///
  /// @param offered packets
  /// @param sentOfThem what a network without loss would have delivered, superpackets cut
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
