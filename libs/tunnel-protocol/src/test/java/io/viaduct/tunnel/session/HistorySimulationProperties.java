package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.viaduct.tunnel.session.HistorySimulation.Event;
import io.viaduct.tunnel.session.NetworkSimulation.NetworkFaults;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/// Faults of the network and the ends cost compression ratio and never a byte. A failure prints its
/// seed.
class HistorySimulationProperties {
  /// Returns the packets of a run. Each run has its own faults, window and kind of context. The
  /// normal test run has the first ten.
  private static int packets(int run) {
    return run < 10 ? 10_000 : 50_000;
  }

  @Example
  void faultsOfNetworkAndEndsCostCompressionRatioButNeverAByte() {
    SplittableRandom seeds = new SplittableRandom(SimulationProgress.SEED);
    SimulationProgress progress = new SimulationProgress("history simulation");
    Set<Event> seen = EnumSet.noneOf(Event.class);
    for (int i = 0; progress.goesOn(); i++) {
      long seed = seeds.nextLong();
      int packets = packets(i);
      NetworkFaults faults = NetworkFaults.upTo30Percent(seed);
      try (HistorySimulation run = new HistorySimulation(seed, faults, i % 2 == 1)) {
        assertThatCode(() -> run.run(packets))
            .as("seed %d, run %d of %d, %s", seed, i, SimulationProgress.SEED, faults)
            .doesNotThrowAnyException();
        TextTraffic traffic = run.traffic();
        assertThat(traffic.delivered).as("seed %d", seed).isGreaterThan(traffic.segments / 3);
        progress.ran(packets, traffic.segments, traffic.delivered);
        seen.addAll(run.seen());
      }
    }
    assertThat(seen).as("seed %d", SimulationProgress.SEED).isEqualTo(EnumSet.allOf(Event.class));
  }

  /// In this run an epoch was first used ten seconds after its announcement, when the receiver had
  /// forgotten it: the datagram was lost.
  @Example
  void anEpochThatThePeerMayHaveForgottenIsNotUsed() {
    long seed = -3_713_658_604_131_899_185L;
    try (HistorySimulation run =
        new HistorySimulation(seed, NetworkFaults.upTo30Percent(seed), false)) {
      assertThatCode(() -> run.run(10_000)).as("seed %d", seed).doesNotThrowAnyException();
    }
  }

  @Property(tries = 2, shrinking = ShrinkingMode.OFF)
  void withoutLossEveryPacketArrivesAndHistoryPays(@ForAll long seed) {
    NetworkFaults faults = new NetworkFaults(0, 0.2, 0, false);
    try (HistorySimulation run = new HistorySimulation(seed, faults, false)) {
      run.run(6_000);
      assertThat(run.traffic().missing()).as("seed %d", seed).isZero();
      assertThat(run.wireBytes())
          .as("seed %d", seed)
          .isLessThan(run.traffic().payloadBytes * 3 / 4);
      assertThat(run.seen()).contains(Event.EPOCH_ADOPTED).doesNotContain(Event.EPOCH_LOST_AT_PEER);
    }
  }
}
