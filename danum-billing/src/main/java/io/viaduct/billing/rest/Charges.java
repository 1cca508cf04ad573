package io.viaduct.billing.rest;

import io.viaduct.billing.ledger.BillColumns;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.TariffVersion;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Reads charges together with their interval, the amount that was refunded, the rule that let
/// their traffic pass, and the wallets that paid.
final class Charges {
  // Rule and wallets are looked up for each row: joins could make PostgreSQL sort all charges of
  // the account.
  private static final String PASSED_BY =
      "coalesce((select w.rule from interval_pass w where w.interval_id = c.interval_id"
          + " and w.application = c.application and w.service_class = c.service_class), 'NONE')";

  private static final String PAID_BY =
      "(select concat_ws(' ', case when bool_or(w.kind = 'GRANT') then 'grant' end,"
          + " case when bool_or(w.kind = 'ALLOWANCE') then 'allowance' end,"
          + " case when c.net <> coalesce(sum(d.amount_microdenarii), 0) then 'prepaid' end)"
          + " from wallet_draw d join wallet w on w.id = d.wallet_id where d.charge_id = c.id)";

  static final String SELECT =
      "select c.*, i.snapt_id, i.session_id, i.epoch, i.sequence, i.ended_at, i.state,"
          + " coalesce(c.revised_tariff_version, i.tariff_version) as tariff_version,"
          + " (select coalesce(sum(r.amount_microdenarii), 0) from credit r"
          + " where r.charge_id = c.id) refunded_microdenarii, "
          + PASSED_BY
          + " as passed_by, "
          + PAID_BY
          + " as paid_by,"
          + " coalesce(p.remote_address, '') as remote_address, coalesce(p.remote_port, 0) as remote_port, k.call_id"
          + " from current_charge c join charging_interval i on i.id = c.interval_id"
          + " left join flow_peer p on (p.interval_id, p.flow) = (c.interval_id, c.flow)"
          + " left join carried_flow k on (k.interval_id, k.flow) = (c.interval_id, c.flow) ";

  private final JdbcClient jdbc;
  private final TariffBook tariffs;

  Charges(JdbcClient jdbc, TariffBook tariffs) {
    this.jdbc = jdbc;
    this.tariffs = tariffs;
  }

  Optional<Charge> find(long id) {
    return jdbc.sql(SELECT + "where c.id = ?").param(id).query(reader()).optional();
  }

  private RowMapper<Charge> reader() {
    List<TariffVersion> versions = tariffs.versions();
    return (row, _) ->
        Charge.of(row, versions.get(row.getInt("tariff_version") - 1).tariff().discount());
  }

  List<Charge> find(Collection<Long> ids) {
    return jdbc.sql(SELECT + "where c.id = any(?) order by c.id")
        .param(ids.toArray(Long[]::new))
        .query(reader())
        .list();
  }

  /// A bill that a charge had.
  ///
  /// @param revision 0 for the bill that was posted with the report
  /// @param rerating id of the re-rating that made it; null for revision 0
  /// @param reason why it was made; empty for revision 0
  record Revision(
      int revision,
      @Nullable String rerating,
      String reason,
      int tariffVersion,
      Instant postedAt,
      BillView bill) {}

  /// Returns every bill that a charge had, the newest first.
  List<Revision> revisions(long id) {
    return jdbc.sql(
            """
            select c.*, coalesce(c.revised_tariff_version, i.tariff_version) as tariff_version, g.id as rerating,
              coalesce(g.reason, '') as reason, coalesce(r.posted_at, t.posted_at, i.received_at) as posted_at
            from charge_with_revisions c join charging_interval i on i.id = c.interval_id
            left join report_revision r on (r.interval_id, r.revision) = (c.interval_id, c.revision)
            left join rerating g on g.number = r.rerating
            left join lateral (select min(posted_at) as posted_at from ledger_transaction where interval_id = i.id) t on true
            where c.id = ? order by c.revision desc
            """)
        .param(id)
        .query((row, _) ->
            new Revision(
                row.getInt("revision"),
                row.getString("rerating"),
                row.getString("reason"),
                row.getInt("tariff_version"),
                row.getTimestamp("posted_at").toInstant(),
                BillView.of(BillColumns.read(row))))
        .list();
  }

  /// Returns a page of charges, latest first.
  ///
  /// @param cursor `next` of the previous page, or null for the first page
  Page<Charge> page(ChargeFilter filter, @Nullable String cursor, int limit) {
    Condition where = condition(filter, cursor);
    List<Object> values = new ArrayList<>(where.values());
    values.add(limit + 1);
    List<Charge> rows =
        jdbc.sql(SELECT + where.sql() + where.order()).params(values).query(reader()).list();
    return Page.of(
        rows,
        limit,
        last -> Cursor.after(filter.scope(), epochMicros(last.start()), Long.parseLong(last.id())));
  }

  /// An SQL condition, its sort order, and the values of its question marks. The interval's account
  /// and start are stored in both tables; the condition uses the table whose index begins with the
  /// filtered column.
  record Condition(String sql, String order, List<Object> values) {}

  static Condition condition(ChargeFilter filter, @Nullable String cursor) {
    String table = filter.state() != null || !filter.snapt().isEmpty() ? "i" : "c";
    String start = table + ".started_at";
    StringBuilder sql = new StringBuilder("where " + table + ".account = ?");
    List<Object> values = new ArrayList<>();
    values.add(filter.account());
    Instant from = filter.start().from();
    Instant to = filter.start().to();
    and(sql, values, start + " >= ?", from == null ? null : Timestamp.from(from));
    and(sql, values, start + " < ?", to == null ? null : Timestamp.from(to));
    and(
        sql,
        values,
        "c.service_class = ?",
        filter.serviceClass() == null ? null : filter.serviceClass().name());
    and(sql, values, "i.state = ?", filter.state() == null ? null : filter.state().name());
    and(sql, values, "c.application = ?", nullIfEmpty(filter.application()));
    and(sql, values, "i.snapt_id = ?", nullIfEmpty(filter.snapt()));
    and(sql, values, "c.device = ?", nullIfEmpty(filter.device()));
    and(sql, values, "c.link = ?", nullIfEmpty(filter.link()));
    and(
        sql,
        values,
        PASSED_BY + " = ?",
        filter.passedBy() == null ? null : filter.passedBy().name());
    long[] seen = Cursor.key(filter.scope(), 2, cursor);
    if (seen != null) {
      Timestamp at = Timestamp.from(Instant.EPOCH.plus(seen[0], ChronoUnit.MICROS));
      and(sql, values, start + " <= ?", at);
      and(sql, values, "(" + start + ", c.id) < (?, ?)", at);
      values.add(seen[1]);
    }
    return new Condition(
        sql.toString(), " order by " + start + " desc, c.id desc limit ?", List.copyOf(values));
  }

  private static void and(
      StringBuilder sql, List<Object> values, String condition, @Nullable Object value) {
    if (value != null) {
      sql.append(" and ").append(condition);
      values.add(value);
    }
  }

  private static @Nullable String nullIfEmpty(String word) {
    return word.isEmpty() ? null : word;
  }

  private static long epochMicros(Instant at) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, at);
  }
}
