package io.viaduct.service.operations;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/// Counts outcomes: one counter per value of an enum. Any thread may count and read, with a
/// registry or without one. [LabelledCounters] live in the registry alone.
public final class Tally<E extends Enum<E>> {
  private final E[] values;
  private final LongAdder[] counts;

  /// Creates a tally of zeros.
  public Tally(Class<E> outcomes) {
    values = outcomes.getEnumConstants();
    counts = new LongAdder[values.length];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new LongAdder();
    }
  }

  public void count(E outcome) {
    counts[outcome.ordinal()].increment();
  }

  /// Adds several to the count of an outcome.
  public void count(E outcome, long times) {
    counts[outcome.ordinal()].add(times);
  }

  /// Returns the count of an outcome.
  public long of(E outcome) {
    return counts[outcome.ordinal()].sum();
  }

  /// Returns the outcomes with a count above 0, by name.
  public Map<String, Long> nonZero() {
    Map<String, Long> found = new TreeMap<>();
    for (E value : values) {
      if (of(value) > 0) {
        found.put(MetricLabel.of(value), of(value));
      }
    }
    return found;
  }

  /// Registers every value as a counter.
  ///
  /// @param name of the meter, starting with `viaduct`
  /// @param tag name of the label that holds the outcome
  public void bind(MeterRegistry registry, String name, String tag, String description) {
    for (E value : values) {
      FunctionCounter.builder(name, counts[value.ordinal()], LongAdder::doubleValue)
          .tag(tag, MetricLabel.of(value))
          .description(description)
          .register(registry);
    }
  }
}
