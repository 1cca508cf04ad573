package io.viaduct.billing.settlement;

import io.viaduct.billing.ledger.Ledger;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/// The devices' reports of the intervals of a batch. A SNAPT's report that is billed takes the
/// place of the device's report. An instance lives for one database transaction, which keeps the
/// rows of the accounts locked.
final class DeviceReportMatches {
  private record Row(long id, DeviceReportState state, long bytes, @Nullable Long interval) {}

  private record Place(IntervalKey key, String account) {
    static Place of(MeasuredInterval report) {
      return new Place(report.key(), report.account());
    }
  }

  private final JdbcClient jdbc;
  private final Ledger ledger;
  private final Map<Place, Row> rows = new HashMap<>();

  private DeviceReportMatches(JdbcClient jdbc, Ledger ledger) {
    this.jdbc = jdbc;
    this.ledger = ledger;
  }

  static DeviceReportMatches none(JdbcClient jdbc, Ledger ledger) {
    return new DeviceReportMatches(jdbc, ledger);
  }

  static DeviceReportMatches load(JdbcClient jdbc, Ledger ledger, List<MeasuredInterval> reports) {
    DeviceReportMatches loaded = new DeviceReportMatches(jdbc, ledger);
    jdbc.sql(
            """
            select d.snapt_id, d.session_id, d.epoch, d.sequence, d.account, d.id, d.state, d.bytes, d.interval_id
            from unnest(:snapts::text[], :sessions::text[], :epochs::bigint[], :sequences::bigint[], :accounts::text[])
              u(snapt, session, epoch, sequence, account)
            join device_report d on (d.snapt_id, d.session_id, d.epoch, d.sequence, d.account)
              = (u.snapt, u.session, u.epoch, u.sequence, u.account)
            """)
        .param("snapts", reports.stream().map(r -> r.key().snapt()).toArray(String[]::new))
        .param("sessions", reports.stream().map(r -> r.key().session()).toArray(String[]::new))
        .param("epochs", reports.stream().map(r -> r.key().epoch()).toArray(Long[]::new))
        .param("sequences", reports.stream().map(r -> r.key().sequence()).toArray(Long[]::new))
        .param("accounts", reports.stream().map(MeasuredInterval::account).toArray(String[]::new))
        .query(row -> {
          loaded.rows.put(
              new Place(
                  new IntervalKey(
                      row.getString(1), row.getString(2), row.getLong(3), row.getLong(4)),
                  row.getString(5)),
              new Row(
                  row.getLong(6),
                  DeviceReportState.valueOf(row.getString(7)),
                  row.getLong(8),
                  row.getObject(9, Long.class)));
        });
    return loaded;
  }

  /// Returns true if the device's report was charged for good, because the SNAPT's did not come in
  /// time.
  boolean isChargedForGood(MeasuredInterval report) {
    Row row = rows.get(Place.of(report));
    return row != null && row.state() == DeviceReportState.FINAL && row.interval() != null;
  }

  /// Replaces the device's report by the SNAPT's, which is being billed: takes its charge back, and
  /// compares both.
  void replace(MeasuredInterval report, Instant now) {
    Row row = rows.get(Place.of(report));
    if (row == null || row.state().next().isEmpty()) {
      return;
    }
    if (row.state() == DeviceReportState.FINAL_PROVISIONAL && row.interval() != null) {
      Reversal.post(jdbc, ledger, row.interval(), now);
    }
    DeviceReportState state = DeviceReportState.compared(report.preBytes(), row.bytes());
    jdbc.sql("update device_report set state = ? where id = ?")
        .param(state.name())
        .param(row.id())
        .update();
    if (state == DeviceReportState.DISCREPANT) {
      Discrepancies.open(
          jdbc,
          new Discrepancies.Counts(
              report.original().digest(),
              report.key(),
              report.account(),
              report.startedAt(),
              report.preBytes(),
              row.bytes()),
          now);
    }
  }
}
