package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.viaduct.tunnel.session.NetworkSimulation.Event;
import io.viaduct.tunnel.session.NetworkSimulation.Weather;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/// Whatever comes out is byte for byte what went in, at most once. A failure prints its seed.
class SimulatedNetworkProperties {
  /// Of one life of the simulation; its memory of what was lost is bounded by it.
  private static final int PACKETS_PER_RUN = 50_000;

  private static final long REPORTED_EVERY = 500_000;

  /// 100,000 in the suite; `viaduct test --nightly` asks for ten million.
  private static final long PACKETS = Long.getLong("viaduct.simulation.packets", 100_000);

  /// Of the whole; each run has its own, which a failure prints.
  private static final long SEED = Long.getLong("viaduct.simulation.seed", System.nanoTime());

  @Example
  void neverAWrongByteWhateverTheNetworkAndTheEndsDo() {
    SplittableRandom seeds = new SplittableRandom(SEED);
    Set<Event> seen = EnumSet.noneOf(Event.class);
    long packets = 0;
    long segments = 0;
    long delivered = 0;
    long startedMs = System.currentTimeMillis();
    while (packets < PACKETS) {
      long seed = seeds.nextLong();
      try (NetworkSimulation run = new NetworkSimulation(seed, Weather.upTo30Percent(seed))) {
        assertThatCode(() -> run.run(PACKETS_PER_RUN))
            .as("seed %d of %d", seed, SEED)
            .doesNotThrowAnyException();
        assertThat(run.delivered()).as("seed %d", seed).isGreaterThan(run.segments() / 4);
        packets += PACKETS_PER_RUN;
        segments += run.segments();
        delivered += run.delivered();
        seen.addAll(run.seen());
      }
      if (packets >= PACKETS || packets % REPORTED_EVERY == 0) {
        System.out.printf(
            "simulation: seed %d, %d packets offered as %d segments, %d delivered, none wrong, %d s%n",
            SEED, packets, segments, delivered, (System.currentTimeMillis() - startedMs) / 1000);
      }
    }
    assertThat(seen).as("seed %d", SEED).isEqualTo(EnumSet.allOf(Event.class));
  }

  @Property(tries = 6, shrinking = ShrinkingMode.OFF)
  void aNetworkThatLosesNothingLosesNothing(@ForAll long seed) {
    try (NetworkSimulation run = new NetworkSimulation(seed, new Weather(0, 0.2, 0, false))) {
      run.run(4_000);
      assertThat(run.missing()).as("seed %d", seed).isZero();
      assertThat(run.delivered()).as("seed %d", seed).isEqualTo(run.segments());
    }
  }
}
