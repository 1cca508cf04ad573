package io.viaduct.cnapt;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.Fleet.Outcome;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A simulated fleet of 20 SNAPTs and 1,000 devices, with the code that decides in the agent.
/// `viaduct reproduce fleet` runs a larger one.
class FleetTest {
  private static final long SEED = 1;
  private static final int SNAPTS = 20;
  private static final int DEVICES = 1_000;
  private static final double FULLEST = 1.2;
  private static final int MINUTES = 20; // twice as long as devices wait before they leave for load
  private static final int MOVES_MAX = 6; // in this time

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void afterAFailureNoSnaptStaysFullerThanOthersAndNobodyOscillates(int sessions) {
    Fleet fleet = new Fleet(SNAPTS, DEVICES, sessions, SEED);
    calm("start", FleetScenario.START.of(fleet, MINUTES));
    Outcome one = FleetScenario.ONE_FAILS.of(fleet, MINUTES);
    calm("one fails", one);
    assertThat(one.end()).as("seed %d: %s", SEED, one).isLessThanOrEqualTo(FULLEST);
    Outcome tenth = FleetScenario.A_TENTH_FAILS.of(fleet, MINUTES);
    calm("a tenth fails", tenth);
    assertThat(tenth.end()).as("seed %d: %s", SEED, tenth).isLessThanOrEqualTo(FULLEST);
  }

  private static void calm(String when, Outcome seen) {
    assertThat(seen.returns()).as("%s, seed %d: %s", when, SEED, seen).isZero();
    assertThat(seen.movesMax())
        .as("%s, seed %d: %s", when, SEED, seen)
        .isLessThanOrEqualTo(MOVES_MAX);
  }
}
