package io.viaduct.billing.settlement;

import io.viaduct.billing.ledger.LedgerTransaction;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.rating.Rounding;
import io.viaduct.billing.tariff.Cap;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.TariffVersion;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

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

    LedgerTransaction transaction() {
      return LedgerTransaction.capCredit(
          String.join("/", day.account(), cap.name(), application, begin.toString()),
          day.account(),
          amount(),
          text());
    }
  }

  /// Returns the caps that were exceeded.
  ///
  /// @param hours each application and hour once
  /// @param versions all versions of the tariff
  public static List<Excess> excesses(Day day, List<Hour> hours, List<TariffVersion> versions) {
    List<Excess> excesses = new ArrayList<>();
    MicroDenarii paid = MicroDenarii.ZERO;
    for (Hour hour : hours) {
      Excess excess =
          excess(
              day, Cap.APPLICATION_HOUR, hour.application(), hour.begin(), hour.paid(), versions);
      paid = paid.plus(hour.paid());
      if (excess.amount().value() > 0) {
        excesses.add(excess);
        paid = paid.minus(excess.amount());
      }
    }
    Excess whole = excess(day, Cap.ACCOUNT_DAY, "", day.begin(), paid, versions);
    if (whole.amount().value() > 0) {
      excesses.add(whole);
    }
    return excesses;
  }

  // Without a cap, the limit is what was paid.
  private static Excess excess(
      Day day,
      Cap cap,
      String application,
      Instant begin,
      MicroDenarii paid,
      List<TariffVersion> versions) {
    TariffVersion version = TariffBook.inForce(versions, begin);
    Double limit = version.tariff().caps().get(cap);
    return new Excess(
        day,
        cap,
        application,
        begin,
        version.version(),
        paid,
        limit == null ? paid : Rounding.ofDenarii(limit));
  }
}
