package io.viaduct.service.operations;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;

/// Counts events by a label whose values are the constants of an enum. Every value is registered at
/// once, so that it shows 0 before its first event.
public final class LabelledCounters<K extends Enum<K>> {
  private final Map<K, Counter> counters;

  private LabelledCounters(Map<K, Counter> counters) {
    this.counters = counters;
  }

  /// Registers a counter for each constant of an enum.
  ///
  /// @param label name of the label, such as `reason`
  public static <K extends Enum<K>> LabelledCounters<K> register(
      MeterRegistry registry, String name, String description, String label, Class<K> values) {
    return register(registry, name, description, label, values, EnumSet.allOf(values));
  }

  /// Registers a counter for some constants of an enum.
  public static <K extends Enum<K>> LabelledCounters<K> register(
      MeterRegistry registry,
      String name,
      String description,
      String label,
      Class<K> type,
      Collection<K> values) {
    Map<K, Counter> counters = new EnumMap<>(type);
    for (K value : values) {
      counters.put(
          value,
          Counter.builder(name)
              .description(description)
              .tag(label, MetricLabel.of(value))
              .register(registry));
    }
    return new LabelledCounters<>(counters);
  }

  /// Counts an event.
  ///
  /// @throws IllegalArgumentException if no counter was registered for the value
  public void increment(K value) {
    increment(value, 1);
  }

  /// Counts an amount, such as bytes.
  ///
  /// @throws IllegalArgumentException if no counter was registered for the value
  public void increment(K value, double amount) {
    Counter counter = counters.get(value);
    if (counter == null) {
      throw new IllegalArgumentException("no counter for " + value);
    }
    counter.increment(amount);
  }
}
