package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.viaduct.tunnel.session.NetworkSimulation.Event;
import io.viaduct.tunnel.session.NetworkSimulation.NetworkFaults;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/// Each restored packet equals a sent one, byte for byte, and arrives at most once. A failure
/// prints its seed.
class SimulatedNetworkProperties {
  /// Packets of one simulation run: the oracle's memory of lost packets grows with them.
  private static final int PACKETS_PER_RUN = 50_000;

  @Example
  void noFaultOfNetworkOrEndsCausesAWrongByte() {
    SplittableRandom seeds = new SplittableRandom(SimulationProgress.SEED);
    SimulationProgress progress = new SimulationProgress("simulation");
    Set<Event> seen = EnumSet.noneOf(Event.class);
    while (progress.goesOn()) {
      long seed = seeds.nextLong();
      try (NetworkSimulation run = new NetworkSimulation(seed, NetworkFaults.upTo30Percent(seed))) {
        assertThatCode(() -> run.run(PACKETS_PER_RUN))
            .as("seed %d of %d", seed, SimulationProgress.SEED)
            .doesNotThrowAnyException();
        assertThat(run.delivered()).as("seed %d", seed).isGreaterThan(run.segments() / 4);
        progress.ran(PACKETS_PER_RUN, run.segments(), run.delivered());
        seen.addAll(run.seen());
      }
    }
    assertThat(seen).as("seed %d", SimulationProgress.SEED).isEqualTo(EnumSet.allOf(Event.class));
  }

  @Property(tries = 6, shrinking = ShrinkingMode.OFF)
  void aNetworkWithoutLossDeliversEveryPacket(@ForAll long seed) {
    try (NetworkSimulation run = new NetworkSimulation(seed, new NetworkFaults(0, 0.2, 0, false))) {
      run.run(4_000);
      assertThat(run.missing()).as("seed %d", seed).isZero();
      assertThat(run.delivered()).as("seed %d", seed).isEqualTo(run.segments());
    }
  }
}
