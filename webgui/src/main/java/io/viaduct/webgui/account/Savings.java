package io.viaduct.webgui.account;

import io.viaduct.webgui.billing.Charge;
import io.viaduct.webgui.billing.MicroDenarii;
import io.viaduct.webgui.billing.Usage;
import io.viaduct.webgui.billing.Usage.Sums;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Savings by aggregation in a month: the discount of each class on each day, latest day first.
record Savings(List<Day> days, Sums total) {
  /// @param byClass in the order of [Charge#CLASSES]
  record Day(
      String date, List<MicroDenarii> byClass, MicroDenarii discount, long saved, long carried) {}

  static Savings of(Usage usage) {
    Map<String, List<Sums>> days = new LinkedHashMap<>();
    for (Sums sums : usage.usage()) {
      days.computeIfAbsent(String.valueOf(sums.day()), _ -> new ArrayList<>()).add(sums);
    }
    return new Savings(
        days.entrySet().stream().map(day -> day(day.getKey(), day.getValue())).toList(),
        usage.total());
  }

  private static Day day(String date, List<Sums> parts) {
    return new Day(
        date,
        Charge.CLASSES.stream().map(name -> discount(parts, name)).toList(),
        new MicroDenarii(parts.stream().mapToLong(p -> p.discountMicrodenarii().value()).sum()),
        parts.stream().mapToLong(Sums::savedBytes).sum(),
        parts.stream().mapToLong(Sums::preBytes).sum());
  }

  private static MicroDenarii discount(List<Sums> parts, String serviceClass) {
    return new MicroDenarii(
        parts.stream()
            .filter(part -> serviceClass.equals(part.serviceClass()))
            .mapToLong(part -> part.discountMicrodenarii().value())
            .sum());
  }
}
