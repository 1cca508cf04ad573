package io.viaduct.cnapt.policy;

import static io.viaduct.cnapt.policy.Paths.path;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class SteadyPathProperties {
  private static final int STEP_MS = 100;
  private static final int MINUTE_MS = 60_000;
  private static final int MOVES_PER_MINUTE_MAX = 6;

  private static PathSnapshot walk(PathSnapshot path, Random random) {
    long delayMs = Math.clamp(path.delayNs() / 1_000_000 + random.nextInt(-8, 9), 1, 400);
    long kbit = Math.clamp(path.spareBitPerSecond() / 1000 + random.nextInt(-900, 901), 0, 50_000);
    return path(path.id(), path.state(), delayMs, kbit);
  }

  @Property(tries = 150)
  void randomWalksCauseFewMovesPerMinute(
      @ForAll long seed,
      @ForAll Criterion criterion,
      @ForAll @IntRange(min = 2, max = 4) int count) {
    Random random = new Random(seed);
    List<PathSnapshot> paths = new ArrayList<>();
    for (int id = 0; id < count; id++) {
      paths.add(path(id, PathState.USABLE, random.nextInt(1, 100), random.nextInt(50_000)));
    }
    SteadyPath steady = new SteadyPath();
    ArrayDeque<Integer> moved = new ArrayDeque<>();
    long moves = 0;
    for (int ms = 0; ms < 10 * MINUTE_MS; ms += STEP_MS) {
      paths.replaceAll(each -> walk(each, random));
      steady.at(ms * 1_000_000L).choose(criterion, paths);
      if (steady.moves() > moves) {
        moves = steady.moves();
        moved.add(ms);
      }
      while (!moved.isEmpty() && moved.peek() <= ms - MINUTE_MS) {
        moved.remove();
      }
      assertThat(moved.size()).as("seed %d, %d ms", seed, ms).isLessThan(MOVES_PER_MINUTE_MAX);
    }
  }

  @Property(tries = 300)
  void aDeadPathIsNeverChosenAndALivingOneAlways(@ForAll long seed) {
    Random random = new Random(seed);
    SteadyPath steady = new SteadyPath();
    PathState[] states = PathState.values();
    for (int ms = 0; ms < 2 * MINUTE_MS; ms += STEP_MS) {
      List<PathSnapshot> paths = new ArrayList<>();
      for (int id = 0; id < 4; id++) {
        if (random.nextInt(4) > 0) { // paths come and go
          paths.add(
              path(
                  id,
                  states[random.nextInt(states.length)],
                  random.nextInt(1, 300),
                  random.nextInt(10_000)));
        }
      }
      Optional<PathSnapshot> chosen = steady.at(ms * 1_000_000L).choose(Criterion.DELAY, paths);
      boolean lives = paths.stream().anyMatch(PathSnapshot::isAlive);
      assertThat(chosen.isPresent()).as("seed %d, %d ms", seed, ms).isEqualTo(lives);
      chosen.ifPresent(path -> assertThat(path.isAlive()).isTrue());
      boolean usable = paths.stream().anyMatch(path -> path.state() == PathState.USABLE);
      if (usable) {
        assertThat(chosen.orElseThrow().state()).isNotEqualTo(PathState.LOSING);
      }
    }
  }
}
