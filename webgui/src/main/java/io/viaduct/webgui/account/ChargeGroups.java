package io.viaduct.webgui.account;

import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.ChargeFilter;
import io.viaduct.webgui.billing.MicroDenarii;
import io.viaduct.webgui.billing.Usage;
import io.viaduct.webgui.billing.Usage.Sums;
import io.viaduct.webgui.billing.UsageQuery;
import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.PeerRefusedException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Sums of charges by day, and in each day by something else, latest day first.
record ChargeGroups(List<Day> days, Sums total) {
  /// Fields by which the sums of a day are taken; the first one unless another is chosen.
  static final List<String> CHOICES = List.of("application", "device", "class");

  /// Days that are summed unless a time is chosen.
  static final int DAYS = 7;

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

  /// What is summed.
  ///
  /// @param filter without a time the latest days are summed
  /// @param by one of [#CHOICES]
  record Wanted(ChargeFilter filter, String by, ZoneId zone) {
    UsageQuery query(Instant now) {
      LocalDate first = now.atZone(zone).toLocalDate().minusDays(DAYS - 1L);
      boolean isLatest = isBlank(filter.from()) && isBlank(filter.to());
      return new UsageQuery(
          isLatest ? filter.from(first.atStartOfDay(zone).toInstant().toString()) : filter,
          "day," + by,
          zone);
    }

    private static boolean isBlank(@Nullable String text) {
      return text == null || text.isBlank();
    }
  }

  /// Returns the field that a visitor has chosen, or the first one.
  static String by(@Nullable String chosen) {
    return chosen != null && CHOICES.contains(chosen) ? chosen : CHOICES.getFirst();
  }

  /// Returns the sums; null if there are more rows than billing sums up at once.
  static @Nullable ChargeGroups read(
      Billing billing, BearerToken token, String account, Wanted wanted, Instant now) {
    try {
      return of(billing.usage(token, account, wanted.query(now)));
    } catch (PeerRefusedException e) {
      return null; // the single intervals are there
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
