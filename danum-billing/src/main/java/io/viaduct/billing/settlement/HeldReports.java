package io.viaduct.billing.settlement;

import io.viaduct.billing.ledger.MicroDenarii;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Stores held reports: those that are not posted but can be posted later. A report has one row.
/// Its row is decided once.
public final class HeldReports {
  /// The states of a held report.
  public enum State {
    HELD,
    POSTED,
    DISCARDED
  }

  /// A held report, as the operator sees it.
  ///
  /// @param receivedAt time of its first arrival
  /// @param isReceiptOwed true if the device's receipt would post it
  /// @param decidedBy operator; null while it is held, and if the receipt decided
  /// @param decision the operator's reason
  public record HeldReport(
      long id,
      Instant receivedAt,
      HoldReason why,
      String detail,
      IntervalKey key,
      String account,
      Instant startedAt,
      Instant endedAt,
      long preBytes,
      MicroDenarii charge,
      MicroDenarii discount,
      boolean isReceiptOwed,
      State state,
      @Nullable String decidedBy,
      String decision,
      @Nullable Instant decidedAt) {}

  /// Criteria of a list. An empty text selects everything.
  public record Filter(String snapt, String account, String reason, String state) {}

  /// The columns that posting needs.
  record HeldRow(
      State state, Instant startedAt, Instant endedAt, Instant receivedAt, String clock) {}

  private static final String COLUMNS =
      "select id, received_at, reason, detail, snapt_id, session_id, epoch, sequence, account, started_at,"
          + " ended_at, pre_bytes, charge_microdenarii, discount_microdenarii, receipt_owed, state,"
          + " decided_by, decision, decided_at from held_report ";

  private final JdbcClient jdbc;

  public HeldReports(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /// Returns the rows of reports by their hexadecimal digest, and locks them.
  Map<String, HeldRow> rows(List<MeasuredInterval> reports) {
    Map<String, HeldRow> rows = new HashMap<>();
    jdbc.sql(
            "select digest, state, started_at, ended_at, received_at, clock from held_report"
                + " where digest = any(?) order by id for no key update")
        .param(reports.stream().map(r -> r.original().digest()).toArray(byte[][]::new))
        .query(row -> {
          rows.put(
              hex(row.getBytes(1)),
              new HeldRow(
                  State.valueOf(row.getString(2)),
                  row.getTimestamp(3).toInstant(),
                  row.getTimestamp(4).toInstant(),
                  row.getTimestamp(5).toInstant(),
                  row.getString(6)));
        });
    return rows;
  }

  static String hex(byte[] digest) {
    return HexFormat.of().formatHex(digest);
  }

  /// Counts the held reports of each SNAPT.
  Map<String, Integer> waiting(Collection<String> snapts) {
    Map<String, Integer> counts = new HashMap<>();
    jdbc.sql(
            "select snapt_id, count(*) from held_report where state = 'HELD' and snapt_id = any(?) group by 1")
        .param(snapts.toArray(String[]::new))
        .query(row -> {
          counts.put(row.getString(1), row.getInt(2));
        });
    return counts;
  }

  /// Stores a report. If it is stored already, updates its reason and keeps the envelope with more
  /// evidence.
  void hold(BilledInterval interval, HoldReason why, String detail) {
    MeasuredInterval report = interval.report();
    jdbc.sql(
            """
            insert into held_report as h (digest, envelope, received_at, clock, snapt_id, session_id, epoch, sequence,
              account, started_at, ended_at, pre_bytes, charge_microdenarii, discount_microdenarii, reason, detail, receipt_owed)
            values (:digest, :envelope, :receivedAt, :clock, :snaptId, :sessionId, :epoch, :sequence, :account, :startedAt, :endedAt, :preBytes, :chargeMicrodenarii, :discountMicrodenarii, :reason, :detail, :receiptOwed)
            on conflict (digest) do update set reason = excluded.reason, detail = excluded.detail,
              envelope = case when excluded.receipt_owed then h.envelope else excluded.envelope end,
              receipt_owed = h.receipt_owed and excluded.receipt_owed
            """)
        .param("digest", report.original().digest())
        .param("envelope", report.evidence().envelope())
        .param("receivedAt", Timestamp.from(report.receivedAt()))
        .param("clock", report.clock().name())
        .param("snaptId", report.key().snapt())
        .param("sessionId", report.key().session())
        .param("epoch", report.key().epoch())
        .param("sequence", report.key().sequence())
        .param("account", report.account())
        .param("startedAt", Timestamp.from(report.startedAt()))
        .param("endedAt", Timestamp.from(report.endedAt()))
        .param("preBytes", report.preBytes())
        .param("chargeMicrodenarii", interval.lines().charge().value())
        .param("discountMicrodenarii", interval.lines().discount().value())
        .param("reason", why.name())
        .param("detail", detail)
        .param("receiptOwed", report.evidence().strength() == Evidence.Strength.RECEIPT_OWED)
        .update();
  }

  /// Marks a held report as posted, by its receipt or by the operator who released it.
  void posted(MeasuredInterval report, Instant now) {
    Evidence.Decision release = report.evidence().release();
    jdbc.sql(
            "update held_report set state = 'POSTED', decided_by = :decidedBy, decision = :decision, decided_at = :decidedAt"
                + " where digest = :digest and state = 'HELD'")
        .param("decidedBy", release == null ? null : release.operator())
        .param("decision", release == null ? "" : release.reason())
        .param("decidedAt", Timestamp.from(now))
        .param("digest", report.original().digest())
        .update();
  }

  /// Discards a held report.
  ///
  /// @return false if it is not held any more
  public boolean discard(long id, Evidence.Decision decision, Instant now) {
    return jdbc.sql(
                "update held_report set state = 'DISCARDED', decided_by = :decidedBy, decision = :decision, decided_at = :decidedAt"
                    + " where id = :id and state = 'HELD'")
            .param("decidedBy", decision.operator())
            .param("decision", decision.reason())
            .param("decidedAt", Timestamp.from(now))
            .param("id", id)
            .update()
        == 1;
  }

  public Optional<HeldReport> find(long id) {
    return jdbc.sql(COLUMNS + "where id = ?").param(id).query((row, _) -> read(row)).optional();
  }

  /// Returns the stored envelope: a serialized SignedUsageReport.
  public byte[] envelope(long id) {
    byte[] envelope =
        jdbc.sql("select envelope from held_report where id = ?")
            .param(id)
            .query(byte[].class)
            .single();
    if (envelope == null) {
      throw new IllegalStateException("held report " + id + " has no envelope");
    }
    return envelope;
  }

  /// Returns held reports, latest first.
  ///
  /// @param before last id of the previous page
  public List<HeldReport> page(Filter filter, long before, int limit) {
    return jdbc.sql(
            COLUMNS
                + "where id < :before and (:snaptId = '' or snapt_id = :snaptId) and (:account = '' or account = :account)"
                + " and (:reason = '' or reason = :reason) and (:state = '' or state = :state) order by id desc limit :limit")
        .param("before", before)
        .param("snaptId", filter.snapt())
        .param("account", filter.account())
        .param("reason", filter.reason())
        .param("state", filter.state())
        .param("limit", limit)
        .query((row, _) -> read(row))
        .list();
  }

  /// Returns the number of reports that wait for a decision.
  public long waiting() {
    return jdbc.sql("select count(*) from held_report where state = 'HELD'")
        .query(Long.class)
        .single();
  }

  private static HeldReport read(ResultSet row) throws SQLException {
    Timestamp decided = row.getTimestamp(19);
    return new HeldReport(
        row.getLong(1),
        row.getTimestamp(2).toInstant(),
        HoldReason.valueOf(row.getString(3)),
        row.getString(4),
        new IntervalKey(row.getString(5), row.getString(6), row.getLong(7), row.getLong(8)),
        row.getString(9),
        row.getTimestamp(10).toInstant(),
        row.getTimestamp(11).toInstant(),
        row.getLong(12),
        new MicroDenarii(row.getLong(13)),
        new MicroDenarii(row.getLong(14)),
        row.getBoolean(15),
        State.valueOf(row.getString(16)),
        row.getString(17),
        row.getString(18),
        decided == null ? null : decided.toInstant());
  }
}
