package io.viaduct.cnapt.snapts;

import io.viaduct.tunnel.wire.ServiceClass;
import java.util.List;
import java.util.SequencedMap;
import java.util.TreeMap;

/// The surcharges of a SNAPT's owner by class, beside the operator's tariff.
public final class SnaptPrices {
  /// An owner that asks for nothing.
  public static final SnaptPrices NONE = new SnaptPrices(List.of());

  private static final double MICRODENARII_PER_DENARIUS = 1e6;

  private final List<Long> microdenarii;

  private SnaptPrices(List<Long> microdenarii) {
    this.microdenarii = List.copyOf(microdenarii);
  }

  /// Returns the prices of a received list.
  ///
  /// @param microdenarii per gigabyte of inner bytes, by class in the order of [ServiceClass]; a
  ///   missing or negative one counts as 0, and those of later classes are left out
  public static SnaptPrices of(List<Long> microdenarii) {
    return microdenarii.isEmpty()
        ? NONE
        : new SnaptPrices(
            microdenarii.stream()
                .limit(ServiceClass.COUNT)
                .map(amount -> Math.max(0, amount))
                .toList());
  }

  /// Returns the price of a class in denarii per gigabyte.
  public double of(ServiceClass of) {
    return of.ordinal() < microdenarii.size()
        ? microdenarii.get(of.ordinal()) / MICRODENARII_PER_DENARIUS
        : 0;
  }

  /// Returns the mean of all classes in denarii per gigabyte.
  public double mean() {
    return microdenarii.stream().mapToLong(each -> each).sum()
        / MICRODENARII_PER_DENARIUS
        / ServiceClass.COUNT;
  }

  /// Returns the prices above 0, in denarii per gigabyte by class.
  public SequencedMap<String, Double> shown() {
    SequencedMap<String, Double> shown = new TreeMap<>();
    for (ServiceClass each : ServiceClass.values()) {
      if (of(each) > 0) {
        shown.put(each.name(), of(each));
      }
    }
    return shown;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SnaptPrices that && microdenarii.equals(that.microdenarii);
  }

  @Override
  public int hashCode() {
    return microdenarii.hashCode();
  }

  @Override
  public String toString() {
    return shown().toString();
  }
}
