package io.viaduct.testbed.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/// Draws the points of a run from its seed. Faults come like cards: each once in a random order,
/// then all again. So every fault occurs equally often, and equal seeds give equal points.
final class ChaosPlan {
  private static final Duration BEFORE_MIN = Duration.ofSeconds(1);
  private static final Duration BEFORE_MAX = Duration.ofSeconds(8); // longer than an interval
  private static final Duration LENGTH_MIN = Duration.ofSeconds(1);
  private static final Duration LENGTH_MAX = Duration.ofSeconds(20); // more than a SNAPT's patience

  private final Random random;
  private final List<Fault> faults;
  private final List<Fault> deck = new ArrayList<>();
  private int number;

  /// One point.
  ///
  /// @param number from 1
  /// @param before time of load without a fault before it
  /// @param length of a lasting fault; zero for others
  record Point(int number, Fault fault, Duration before, Duration length) {}

  /// @param faults each of them occurs equally often
  ChaosPlan(long seed, List<Fault> faults) {
    random = new Random(seed);
    this.faults = faults;
  }

  /// Returns the next point.
  Point next() {
    if (deck.isEmpty()) {
      deck.addAll(faults);
      Collections.shuffle(deck, random);
    }
    number++;
    Fault fault = deck.removeLast();
    Duration before = between(BEFORE_MIN, BEFORE_MAX);
    Duration length = between(LENGTH_MIN, LENGTH_MAX); // drawn always, so that the draws are equal
    return new Point(number, fault, before, fault.isLasting() ? length : Duration.ZERO);
  }

  private Duration between(Duration least, Duration most) {
    return Duration.ofMillis(random.nextLong(least.toMillis(), most.toMillis()));
  }
}
