package io.viaduct.webgui.account;

import io.viaduct.webgui.billing.MicroDenarii;
import io.viaduct.webgui.billing.Usage;
import io.viaduct.webgui.billing.Usage.Sums;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Sums of charges by day, and in each day by something else, latest day first.
record ChargeGroups(List<Day> days, Sums total) {
  /// @param date in the viewer's zone
  record Day(String date, List<Sums> parts) {
    /// The day after, where a filter for this day ends; null if billing's date is none.
    public @Nullable String after() {
      try {
        return LocalDate.parse(date).plusDays(1).toString();
      } catch (DateTimeParseException e) {
        return null;
      }
    }

    public long charges() {
      return parts.stream().mapToLong(Sums::charges).sum();
    }

    public long preBytes() {
      return parts.stream().mapToLong(Sums::preBytes).sum();
    }

    public long savedBytes() {
      return parts.stream().mapToLong(Sums::savedBytes).sum();
    }

    public MicroDenarii discount() {
      return new MicroDenarii(
          parts.stream().mapToLong(part -> part.discountMicrodenarii().value()).sum());
    }

    public MicroDenarii net() {
      return new MicroDenarii(
          parts.stream().mapToLong(part -> part.netMicrodenarii().value()).sum());
    }
  }

  static ChargeGroups of(Usage usage) {
    Map<String, List<Sums>> days = new LinkedHashMap<>();
    for (Sums sums : usage.usage()) {
      days.computeIfAbsent(String.valueOf(sums.day()), _ -> new ArrayList<>()).add(sums);
    }
    return new ChargeGroups(
        days.entrySet().stream().map(day -> new Day(day.getKey(), day.getValue())).toList(),
        usage.total());
  }
}
