package io.viaduct.cnapt.operations;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/// Registers the meters of one part of the agent. They read counts that the part has anyway, so
/// they cost nothing per packet.
///
/// @param <T> the part
final class MetersOf<T> {
  private final MeterRegistry registry;
  private final T part;

  MetersOf(MeterRegistry registry, T part) {
    this.registry = registry;
    this.part = part;
  }

  /// A label with a fixed set of values.
  ///
  /// @param word returns the text of a value
  record Label<E>(String name, List<E> values, Function<E, String> word) {
    static <E extends Enum<E>> Label<E> of(String name, E[] values, Function<E, String> word) {
      return new Label<>(name, List.of(values), word);
    }
  }

  /// Registers a counter.
  void total(String name, String description, ToDoubleFunction<T> count) {
    total(name, null, description, Tags.empty(), count);
  }

  /// Registers a counter with labels.
  void total(
      String name,
      @Nullable String unit,
      String description,
      Tags tags,
      ToDoubleFunction<T> count) {
    FunctionCounter.builder(name, part, count)
        .description(description)
        .baseUnit(unit)
        .tags(tags)
        .register(registry);
  }

  /// Registers a counter for each value of a label.
  <E> void totals(String name, String description, Label<E> by, ToDoubleBiFunction<T, E> count) {
    for (E each : by.values()) {
      Tags tags = Tags.of(by.name(), by.word().apply(each));
      total(name, null, description, tags, of -> count.applyAsDouble(of, each));
    }
  }

  /// Registers a gauge.
  void gauge(String name, @Nullable String unit, String description, ToDoubleFunction<T> value) {
    gauge(name, unit, description, Tags.empty(), value);
  }

  /// Registers a gauge with labels.
  void gauge(
      String name,
      @Nullable String unit,
      String description,
      Tags tags,
      ToDoubleFunction<T> value) {
    Gauge.builder(name, part, value)
        .description(description)
        .baseUnit(unit)
        .tags(tags)
        .register(registry);
  }
}
