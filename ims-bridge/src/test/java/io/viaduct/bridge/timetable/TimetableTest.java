package io.viaduct.bridge.timetable;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TimetableTest {
  private static final int STEPS = 20_000;

  /// A slow, obvious model: a list in the order in which the times were set.
  private static final class Oracle {
    private record Entry(int key, Instant at) {}

    private final List<Entry> all = new ArrayList<>();

    void set(int key, Instant at) {
      remove(key);
      all.add(new Entry(key, at));
    }

    void bringForward(int key, Instant at) {
      if (all.stream().anyMatch(each -> each.key == key && each.at.isAfter(at))) {
        set(key, at);
      }
    }

    void remove(int key) {
      all.removeIf(each -> each.key == key);
    }

    List<Integer> take(Instant now, int max) {
      List<Entry> due =
          all.stream()
              .filter(each -> !each.at.isAfter(now))
              .sorted(Comparator.comparing(Entry::at))
              .limit(max)
              .toList();
      all.removeAll(due);
      return due.stream().map(Entry::key).toList();
    }
  }

  @Test
  void itGivesTheDueKeysInTheOrderOfTheirTimes() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Timetable<Integer> timetable = new Timetable<>();
    Oracle oracle = new Oracle();
    int taken = 0;
    for (int step = 0; step < STEPS; step++) {
      int key = random.nextInt(20);
      Instant at = Instant.ofEpochSecond(step / 4 + random.nextInt(30));
      switch (random.nextInt(4)) {
        case 0 -> {
          timetable.set(key, at);
          oracle.set(key, at);
        }
        case 1 -> {
          timetable.bringForward(key, at);
          oracle.bringForward(key, at);
        }
        case 2 -> {
          timetable.remove(key);
          oracle.remove(key);
        }
        default -> {
          Instant now = Instant.ofEpochSecond(step / 4);
          int max = random.nextInt(4);
          List<Integer> due = timetable.take(now, max);
          assertThat(due).as("seed %d, step %d", seed, step).isEqualTo(oracle.take(now, max));
          taken += due.size();
        }
      }
    }
    assertThat(taken).isPositive();
  }
}
