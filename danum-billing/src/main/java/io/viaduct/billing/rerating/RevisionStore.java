package io.viaduct.billing.rerating;

import io.viaduct.billing.ledger.BillColumns;
import io.viaduct.billing.rating.BrokenPromise;
import io.viaduct.billing.rating.RatedFlow;
import io.viaduct.billing.settlement.ChargedReport;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.TariffVersion;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;

/// Stores new bills of intervals and of their charges.
final class RevisionStore {
  private final JdbcTemplate batches;

  RevisionStore(JdbcTemplate batches) {
    this.batches = batches;
  }

  void insert(
      List<RevisedInterval> revised,
      long rerating,
      int tariffVersion,
      List<TariffVersion> versions,
      Instant now) {
    if (revised.isEmpty()) {
      return;
    }
    batches.batchUpdate(
        "insert into report_revision (interval_id, revision, rerating, posted_at, "
            + BillColumns.NAMES
            + ") values (?, ?, ?, ?, "
            + BillColumns.MARKS
            + ")",
        revised.stream()
            .map(each ->
                row(
                    BillColumns.values(each.lines()),
                    each.interval().id(),
                    each.revision(),
                    rerating,
                    Timestamp.from(now)))
            .toList());
    List<Object[]> rated = new ArrayList<>();
    List<Object[]> kept = new ArrayList<>();
    for (RevisedInterval each : revised) {
      for (int i = 0; i < each.interval().report().flows().size(); i++) {
        if (each.isRated(i)) {
          rated.add(ratedRow(each, i, versions.get(tariffVersion - 1)));
        } else {
          kept.add(
              new Object[] {
                each.revision(),
                each.interval().report().flows().get(i).tariffVersion(),
                each.interval().report().flows().get(i).charge()
              });
        }
      }
    }
    insertCharges(rated, kept);
    openDays(revised);
  }

  private void insertCharges(List<Object[]> rated, List<Object[]> kept) {
    batches.batchUpdate(
        "insert into charge_revision (charge_id, revision, tariff_version, throughput, delay_ms,"
            + " delay_error_ms, delay_source, utility_per_second, price_per_unit, units, offered,"
            + " broken_promise, promised, measured, "
            + BillColumns.NAMES
            + ") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
            + BillColumns.MARKS
            + ")",
        rated);
    // The run is for another class: the flow keeps its bill.
    batches.batchUpdate(
        "insert into charge_revision (charge_id, revision, tariff_version, throughput, delay_ms,"
            + " delay_error_ms, delay_source, utility_per_second, price_per_unit, units, offered,"
            + " broken_promise, promised, measured, "
            + BillColumns.NAMES
            + ") select id, ?, ?, throughput, delay_ms, delay_error_ms, delay_source,"
            + " utility_per_second, price_per_unit, units, offered, broken_promise, promised, measured, "
            + BillColumns.NAMES
            + " from charge_with_revisions where id = ? and revision = ?",
        kept.stream()
            .map(each -> new Object[] {each[0], each[1], each[2], (int) each[0] - 1})
            .toList());
  }

  private static @Nullable Object[] ratedRow(
      RevisedInterval interval, int index, TariffVersion tariff) {
    ChargedReport.Flow flow = interval.interval().report().flows().get(index);
    RatedFlow rated = interval.rated(index);
    BrokenPromise broken = rated.broken();
    boolean isOffered =
        tariff.tariff().of(flow.measure().serviceClass()).point() == OperatingPoint.OFFERED;
    return row(
        BillColumns.values(interval.lines(index)),
        flow.charge(),
        interval.revision(),
        tariff.version(),
        rated.placement().throughput(),
        rated.delay().delayMs(),
        rated.delay().errorMs(),
        rated.delay().source().name(),
        rated.utilityPerSecond(),
        rated.price().perUnit(),
        rated.units(),
        isOffered ? rated.placement().offered() : null,
        broken == null ? null : broken.promise().name(),
        broken == null ? null : broken.promised(),
        broken == null ? null : broken.measured());
  }

  private static @Nullable Object[] row(List<Object> lines, @Nullable Object... values) {
    return Stream.concat(Arrays.stream(values), lines.stream()).toArray();
  }

  // The settlement compares again what these days gave back above their caps.
  private void openDays(List<RevisedInterval> revised) {
    batches.batchUpdate(
        "insert into open_day (account, day) values (?, ?) on conflict do nothing",
        revised.stream()
            .map(each -> each.interval().report())
            .map(report ->
                List.of(report.account(), LocalDate.ofInstant(report.start(), ZoneOffset.UTC)))
            .distinct()
            .map(List::toArray)
            .toList());
  }
}
