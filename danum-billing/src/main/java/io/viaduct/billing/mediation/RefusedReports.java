package io.viaduct.billing.mediation;

import io.viaduct.billing.settlement.ReportRefusal;
import io.viaduct.service.logging.PeerText;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Stores refused reports with their reason, for the operator. A report that is refused again for
/// the same reason is stored once.
public final class RefusedReports {
  /// Most characters of a text field. A refused report may contain anything, so its texts are
  /// shortened and made printable.
  private static final int TEXT_MAX = 64;

  private static final int DETAIL_MAX = 512;

  /// Most stored bytes of a report; the rest of a larger one is cut off.
  private static final int CONTENT_MAX = 64 * 1024;

  private final JdbcTemplate batches;
  private final JdbcClient jdbc;

  public RefusedReports(JdbcTemplate batches) {
    this.batches = batches;
    jdbc = JdbcClient.create(batches);
  }

  /// A refused report.
  ///
  /// @param why the broken rule: a [ReportRefusal], or one of an earlier version
  /// @param detail value and rule in words
  public record Refused(
      long id,
      Instant receivedAt,
      String why,
      String detail,
      String snapt,
      String session,
      long epoch,
      long sequence,
      String account) {}

  /// Criteria of a list. An empty text selects everything.
  public record Filter(String snapt, String account, String reason) {}

  /// The number of reports of one SNAPT with one reason.
  ///
  /// @param what REFUSED, HELD or UNSIGNED
  public record Count(String snapt, String what, String reason, long reports) {}

  /// A refusal to store.
  record Entry(
      Instant receivedAt,
      ReportRefusal why,
      String detail,
      String snapt,
      String session,
      long epoch,
      long sequence,
      String account,
      byte[] digest,
      byte[] content) {}

  void keep(List<Entry> entries) {
    if (entries.isEmpty()) {
      return;
    }
    batches.batchUpdate(
        "insert into refused_report (received_at, reason, detail, snapt_id, session_id, epoch, sequence,"
            + " account, digest, content) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing",
        entries.stream()
            .map(e ->
                new Object[] {
                  Timestamp.from(e.receivedAt()),
                  e.why().name(),
                  PeerText.ascii(e.detail(), DETAIL_MAX),
                  PeerText.ascii(e.snapt(), TEXT_MAX),
                  PeerText.ascii(e.session(), TEXT_MAX),
                  e.epoch(),
                  e.sequence(),
                  PeerText.ascii(e.account(), TEXT_MAX),
                  e.digest(),
                  e.content().length <= CONTENT_MAX
                      ? e.content()
                      : Arrays.copyOf(e.content(), CONTENT_MAX)
                })
            .toList());
  }

  /// Returns refused reports, latest first.
  ///
  /// @param before last id of the previous page
  public List<Refused> page(Filter filter, long before, int limit) {
    return jdbc.sql(
            "select id, received_at, reason, detail, snapt_id, session_id, epoch, sequence, account"
                + " from refused_report where id < :before and (:snaptId = '' or snapt_id = :snaptId) and (:account = '' or account = :account)"
                + " and (:reason = '' or reason = :reason) order by id desc limit :limit")
        .param("before", before)
        .param("snaptId", filter.snapt())
        .param("account", filter.account())
        .param("reason", filter.reason())
        .param("limit", limit)
        .query((row, _) ->
            new Refused(
                row.getLong(1),
                row.getTimestamp(2).toInstant(),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                row.getString(6),
                row.getLong(7),
                row.getLong(8),
                row.getString(9)))
        .list();
  }

  /// Returns the numbers of refused, held and unsigned reports by SNAPT, state and reason.
  ///
  /// @param after SNAPT, state and reason of the last one that the caller has seen
  public List<Count> counts(List<String> after, int limit) {
    return jdbc.sql(
            """
            select * from (
            select snapt_id, 'REFUSED', reason, count(*) from refused_report group by snapt_id, reason
            union all
            select snapt_id, 'HELD', reason, count(*) from held_report where state = 'HELD' group by snapt_id, reason
            union all
            select snapt_id, 'UNSIGNED', 'RECEIPT_OWED', count(*) from charging_interval
            where state = 'PROVISIONAL' group by snapt_id
            ) counted (snapt, state, reason, reports)
            where (snapt, state, reason) > (?, ?, ?)
            order by snapt, state, reason limit ?
            """)
        .params(after)
        .param(limit)
        .query((row, _) ->
            new Count(row.getString(1), row.getString(2), row.getString(3), row.getLong(4)))
        .list();
  }
}
