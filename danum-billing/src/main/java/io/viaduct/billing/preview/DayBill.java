package io.viaduct.billing.preview;

import io.viaduct.billing.ledger.BillLines;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.rating.RatedReport;
import io.viaduct.billing.settlement.CappedDay;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.billing.tariff.TariffVersion;
import io.viaduct.billing.tariff.Terms;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The bill of a day, by activity. It is computed by the code that rates reports and compares days
/// with their caps.
///
/// @param lines bill of each activity
/// @param bytes bytes before aggregation of each activity
/// @param givenBack what the caps of hours and of the day give back
record DayBill(Map<Activity, BillLines> lines, Map<Activity, Long> bytes, MicroDenarii givenBack) {
  private static final LocalDate DATE = LocalDate.EPOCH;

  private record Hour(String application, Instant begin) {}

  /// Rates the reports of a day.
  static DayBill of(List<OrdinaryDay.Report> reports, Tariff tariff) {
    Map<Activity, BillLines> lines = new EnumMap<>(Activity.class);
    Map<Activity, Long> bytes = new EnumMap<>(Activity.class);
    Map<String, Map<Instant, MicroDenarii>> paid = new TreeMap<>();
    for (OrdinaryDay.Report report : reports) {
      RatedReport rated = RatedReport.of(report.flows(), OrdinaryDay.INTERVAL_MS, Terms.of(tariff));
      Instant hour =
          DATE.atStartOfDay(ZoneOffset.UTC)
              .plusMinutes(report.minute())
              .truncatedTo(ChronoUnit.HOURS)
              .toInstant();
      for (int i = 0; i < report.flows().size(); i++) {
        BillLines bill = rated.flows().get(i).lines();
        Activity activity = report.activities().get(i);
        lines.merge(activity, bill, BillLines::plus);
        bytes.merge(activity, report.flows().get(i).preBytes(), Long::sum);
        paid.computeIfAbsent(activity.application(), _ -> new TreeMap<>())
            .merge(hour, bill.net(), MicroDenarii::plus);
      }
    }
    return new DayBill(lines, bytes, givenBack(paid, tariff));
  }

  private static MicroDenarii givenBack(
      Map<String, Map<Instant, MicroDenarii>> paid, Tariff tariff) {
    List<CappedDay.Hour> hours =
        paid.entrySet().stream()
            .flatMap(application ->
                application.getValue().entrySet().stream()
                    .map(hour ->
                        new CappedDay.Hour(application.getKey(), hour.getKey(), hour.getValue())))
            .toList();
    TariffVersion version = new TariffVersion(1, Instant.EPOCH, tariff, "draft");
    return CappedDay.excesses(new CappedDay.Day("user", DATE), hours, _ -> version).stream()
        .map(CappedDay.Excess::amount)
        .reduce(MicroDenarii.ZERO, MicroDenarii::plus);
  }

  /// Returns the bill of one activity; nothing if the day had none of it.
  BillLines of(Activity activity) {
    return lines.getOrDefault(activity, BillLines.NOTHING);
  }

  /// Returns the bill of the whole day, before the caps.
  BillLines whole() {
    return lines.values().stream().reduce(BillLines.NOTHING, BillLines::plus);
  }
}
