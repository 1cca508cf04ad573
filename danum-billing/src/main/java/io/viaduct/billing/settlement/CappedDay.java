package io.viaduct.billing.settlement;

import io.viaduct.billing.ledger.LedgerTransaction;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.rating.Rounding;
import io.viaduct.billing.tariff.Cap;
import io.viaduct.billing.tariff.TariffVersion;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/// Compares what an account paid in a day with the caps. The caps are those of the tariff in force
/// when the hour or day began. What is given back for an hour counts as not paid in the day.
public final class CappedDay {
  private CappedDay() {}

  /// A UTC day of an account.
  public record Day(String account, LocalDate date) {
    Instant begin() {
      return date.atStartOfDay(ZoneOffset.UTC).toInstant();
    }

    Instant end() {
      return date.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant();
    }
  }

  /// The amount that was paid for one application in one hour.
  public record Hour(String application, Instant begin, MicroDenarii paid) {}

  /// A cap that was exceeded.
  ///
  /// @param application empty for a whole day
  /// @param begin start of the hour or day
  public record Excess(
      Day day,
      Cap cap,
      String application,
      Instant begin,
      int tariffVersion,
      MicroDenarii paid,
      MicroDenarii limit) {
    /// Returns what is given back.
    public MicroDenarii amount() {
      return paid.minus(limit);
    }

    private String text() {
      return cap == Cap.ACCOUNT_DAY
          ? "cap of the day %s: %s of %s".formatted(day.date(), paid.denarii(), limit.denarii())
          : "cap of %s in the hour from %s: %s of %s"
              .formatted(application, begin, paid.denarii(), limit.denarii());
    }

    /// @param owed what is to be posted of the amount
    /// @param revision number of credits that the cap had before
    LedgerTransaction transaction(MicroDenarii owed, int revision) {
      String key = String.join("/", day.account(), cap.name(), application, begin.toString());
      return LedgerTransaction.capCredit(
          revision == 0 ? key : key + "#" + revision, day.account(), owed, text());
    }
  }

  /// Returns the caps that were exceeded.
  ///
  /// @param hours each application and hour once
  /// @param tariffs the tariff whose caps count for an hour or day that began at a time
  public static List<Excess> excesses(
      Day day, List<Hour> hours, Function<Instant, TariffVersion> tariffs) {
    return compared(day, hours, tariffs).stream()
        .filter(excess -> !excess.amount().isZero())
        .toList();
  }

  /// Compares each hour and the day with its cap. Where the cap is not exceeded, the limit is what
  /// was paid.
  static List<Excess> compared(
      Day day, List<Hour> hours, Function<Instant, TariffVersion> tariffs) {
    List<Excess> compared = new ArrayList<>();
    MicroDenarii paid = MicroDenarii.ZERO;
    for (Hour hour : hours) {
      Excess excess =
          excess(day, Cap.APPLICATION_HOUR, hour.application(), hour.begin(), hour.paid(), tariffs);
      compared.add(excess);
      paid = paid.plus(excess.limit());
    }
    compared.add(excess(day, Cap.ACCOUNT_DAY, "", day.begin(), paid, tariffs));
    return compared;
  }

  private static Excess excess(
      Day day,
      Cap kind,
      String application,
      Instant begin,
      MicroDenarii paid,
      Function<Instant, TariffVersion> tariffs) {
    TariffVersion version = tariffs.apply(begin);
    Double cap = version.tariff().caps().get(kind);
    MicroDenarii limit = cap == null ? paid : Rounding.ofDenarii(cap);
    return new Excess(
        day,
        kind,
        application,
        begin,
        version.version(),
        paid,
        limit.compareTo(paid) < 0 ? limit : paid);
  }
}
