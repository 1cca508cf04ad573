package io.viaduct.billing.rest;

import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.ledger.MicroDenarii;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Reads the operators' list of accounts. The inner query finds the accounts of one page; only for
/// those are the sums read.
final class AccountRows {
  private static final String PAGE =
      """
      select a.id, a.display_name, a.role, a.state, a.sip_secret, a.created_at, c.state, c.blocked, c.balance_microdenarii,
        coalesce(c.credit_limit_microdenarii, :limitOfAll), page.key,
        coalesce((select sum(q.reserved_microdenarii) from credit_quota q where q.account = a.id), 0)::bigint,
        coalesce((select s.spent_microdenarii from spending s where s.account = a.id and s.day = :day), 0),
        coalesce((select sum(s.spent_microdenarii) from spending s
          where s.account = a.id and s.day between :month and :day), 0)::bigint
      from (select c.account, (%1$s)::bigint as key from credit_account c%2$s
        where %3$s and %4$s order by %5$s c.account collate "C" limit :rows) page
      join account a on a.id = page.account join credit_account c on c.account = page.account
      order by page.key, a.id collate "C"
      """;

  private final JdbcClient jdbc;
  private final long limitOfAll;

  AccountRows(JdbcClient jdbc, BillingConfiguration configuration) {
    this.jdbc = jdbc;
    limitOfAll = MicroDenarii.ofDenarii(configuration.credit().defaultLimit()).value();
  }

  /// Begin of a page: behind the account with this key and id.
  record Position(long key, String id) {
    static final Position START = new Position(Long.MIN_VALUE, "");
  }

  /// A row with its key in the order of the list.
  record Row(long key, AccountRow account) {}

  List<Row> page(AccountFilter filter, Position after, int rows, Instant now) {
    LocalDate today = LocalDate.ofInstant(now, ZoneOffset.UTC);
    JdbcClient.StatementSpec query =
        jdbc.sql(query(filter))
            .param("limitOfAll", limitOfAll)
            .param("day", today)
            .param("month", today.withDayOfMonth(1))
            .param("key", after.key())
            .param("id", after.id())
            .param("rows", rows);
    if (!filter.search().isEmpty()) {
      query =
          query
              .param("prefix", filter.search().toLowerCase(Locale.ROOT))
              .param("words", filter.words());
    }
    return query.query((row, _) -> row(row)).list();
  }

  // Tables that neither filter nor order need are left out: PostgreSQL then reads and sorts less.
  private static String query(AccountFilter filter) {
    String key = filter.order().key();
    boolean isByName = filter.order() == AccountFilter.Order.ID;
    String tables =
        (filter.needsAccount() ? " join account a on a.id = c.account" : "")
            + (filter.order() == AccountFilter.Order.SPENT_TODAY
                ? " left join spending t on t.account = c.account and t.day = :day"
                : "");
    String behind =
        isByName
            ? "c.account collate \"C\" > :id"
            : "((" + key + ")::bigint, c.account collate \"C\") > (:key, :id)";
    return PAGE.formatted(key, tables, conditions(filter), behind, isByName ? "" : "2, ");
  }

  private static String conditions(AccountFilter filter) {
    String which = filter.which() == null ? "true" : filter.which().condition();
    if (filter.search().isEmpty()) {
      return which;
    }
    String name = "starts_with(lower(a.id) collate \"C\", :prefix)";
    String words = " or to_tsvector('simple', a.display_name) @@ to_tsquery('simple', :words)";
    return which + " and (" + name + (filter.words().isEmpty() ? "" : words) + ")";
  }

  private static Row row(ResultSet row) throws SQLException {
    return new Row(
        row.getLong(11),
        new AccountRow(
            row.getString(1),
            row.getString(2),
            row.getString(3),
            row.getString(4),
            row.getString(5),
            row.getTimestamp(6).toInstant(),
            row.getString(7).toLowerCase(Locale.ROOT),
            row.getBoolean(8),
            row.getString(9),
            row.getString(10),
            row.getString(12),
            row.getString(13),
            row.getString(14)));
  }

  /// Returns the position behind an account that a cursor names.
  static Position position(Cursor.@Nullable Named cursor) {
    return cursor == null
        ? Position.START
        : new Position(cursor.number(), cursor.names().getFirst());
  }
}
