package io.viaduct.billing.settlement;

import io.viaduct.billing.ledger.MicroDenarii;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Reads the reports of devices (ADR 0062) with their states.
public final class DeviceReportList {
  /// A stored report.
  ///
  /// @param key identity of the interval, the same as in the SNAPT's report
  /// @param device public key, base64url without padding
  /// @param bytes inner bytes of both directions, by the device
  /// @param expected what the report costs under the tariff that was in force when it came
  public record StoredReport(
      long id,
      IntervalKey key,
      String account,
      String device,
      Instant startedAt,
      Instant endedAt,
      Instant receivedAt,
      long bytes,
      MicroDenarii expected,
      DeviceReportState state) {}

  /// Selects reports. An empty text selects all.
  ///
  /// @param state null for all that the SNAPT's report has not answered, and that may still be
  ///   charged, replaced or compared
  public record Filter(String account, String snapt, @Nullable DeviceReportState state) {}

  /// Reports of an account that are not charged yet.
  ///
  /// @param reports number of reports whose SNAPT's report is missing
  /// @param expected their sum under the tariffs that were in force when they came
  public record Expected(long reports, MicroDenarii expected) {}

  private final JdbcClient jdbc;

  public DeviceReportList(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /// Returns reports, latest first.
  ///
  /// @param before last id of the previous page
  public List<StoredReport> page(Filter filter, long before, int limit) {
    return jdbc.sql(
            """
            select * from device_report where id < :before
              and (:account = '' or account = :account) and (:snapt = '' or snapt_id = :snapt)
              and (:state = '' and state in ('PROVISIONAL', 'FINAL_PROVISIONAL', 'UNCHARGED') or state = :state)
            order by id desc limit :limit
            """)
        .param("before", before)
        .param("account", filter.account())
        .param("snapt", filter.snapt())
        .param("state", filter.state() == null ? "" : filter.state().name())
        .param("limit", limit)
        .query((row, _) -> report(row))
        .list();
  }

  private static StoredReport report(ResultSet row) throws SQLException {
    return new StoredReport(
        row.getLong("id"),
        new IntervalKey(
            row.getString("snapt_id"),
            row.getString("session_id"),
            row.getLong("epoch"),
            row.getLong("sequence")),
        row.getString("account"),
        row.getString("device"),
        row.getTimestamp("started_at").toInstant(),
        row.getTimestamp("ended_at").toInstant(),
        row.getTimestamp("received_at").toInstant(),
        row.getLong("bytes"),
        new MicroDenarii(row.getLong("expected_microdenarii")),
        DeviceReportState.valueOf(row.getString("state")));
  }

  /// Returns what an account is expected to be charged for reports of its devices alone.
  public Expected expected(String account) {
    return jdbc.sql(
            "select count(*), coalesce(sum(expected_microdenarii), 0)::bigint from device_report"
                + " where account = ? and state = 'PROVISIONAL'")
        .param(account)
        .query((row, _) -> new Expected(row.getLong(1), new MicroDenarii(row.getLong(2))))
        .single();
  }
}
