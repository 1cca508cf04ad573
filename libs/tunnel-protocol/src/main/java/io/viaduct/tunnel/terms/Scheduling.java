package io.viaduct.tunnel.terms;

import io.viaduct.tunnel.scheduling.ClassUtility;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.List;
import java.util.stream.IntStream;

/// Configuration keys `tunnel.scheduling: …`: which class sends first while more than one waits.
///
/// @param order rule that decides
/// @param weights of the utility of a flow, per class in priority order, 1 … 1000; for MAX_WEIGHT
/// @param referenceRates bit/s at which the marginal utility of a flow is half of that at 0, per
///   class in priority order, 1000 … 10¹⁰; for MAX_WEIGHT
public record Scheduling(Order order, List<Integer> weights, List<Long> referenceRates) {
  private static final int WEIGHT_MAX = 1_000;
  private static final long RATE_MIN = 1_000;
  private static final long RATE_MAX = 10_000_000_000L;

  /// Rule that decides which class sends first.
  public enum Order {
    /// The higher class, with a floor for lower ones (`floor-percent`).
    PRIORITY,
    /// The class with the longest virtual queue, so that the sum of utilities is largest.
    MAX_WEIGHT;

    /// Returns the order that a configuration file names: `priority` or `max-weight`.
    public static Order of(String word) {
      return switch (word) {
        case "priority" -> PRIORITY;
        case "max-weight" -> MAX_WEIGHT;
        default ->
            throw new IllegalArgumentException(
                "order must be one of priority, max-weight, got '" + word + "'");
      };
    }

    @Override
    public String toString() {
      return this == PRIORITY ? "priority" : "max-weight";
    }
  }

  public Scheduling {
    weights = List.copyOf(weights);
    referenceRates = List.copyOf(referenceRates);
    require(weights.size() == ServiceClass.COUNT, "weights", weights, "one per class, 4");
    require(
        referenceRates.size() == ServiceClass.COUNT,
        "reference-rates",
        referenceRates,
        "one per class, 4");
    for (int each : weights) {
      require(each >= 1 && each <= WEIGHT_MAX, "weights", each, "1 … 1000");
    }
    for (long each : referenceRates) {
      require(
          each >= RATE_MIN && each <= RATE_MAX,
          "reference-rates",
          each,
          "1000 … 10000000000 bit/s");
    }
  }

  /// Returns the defaults: strict priority. With MAX_WEIGHT, low delay weighs twice as much as high
  /// delay, and the reference rates are those at which an application of the class does well.
  public static Scheduling defaults() {
    return new Scheduling(
        Order.PRIORITY, List.of(2, 2, 1, 1), List.of(16_000L, 128_000L, 64_000L, 512_000L));
  }

  /// Returns the utility of each class, in priority order.
  public List<ClassUtility> utilities() {
    return IntStream.range(0, ServiceClass.COUNT)
        .mapToObj(c -> new ClassUtility(weights.get(c), referenceRates.get(c) / 8.0))
        .toList();
  }

  private static void require(boolean holds, String key, Object value, String rule) {
    if (!holds) {
      throw new IllegalArgumentException(
          "scheduling.%s is %s, must be %s".formatted(key, value, rule));
    }
  }
}
