package io.viaduct.billing.statement;

import io.viaduct.billing.database.Snapshot;
import io.viaduct.billing.ledger.BillLines;
import io.viaduct.billing.ledger.LedgerAccount;
import io.viaduct.billing.ledger.MicroDenarii;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Sums up the postings of an account in one snapshot of the ledger.
public final class Statements {
  /// Transactions that bill the use of an interval, or reverse its bill.
  private static final String OF_USE = "('PROVISIONAL', 'CORRECTION', 'ADJUSTMENT', 'REVERSAL')";

  private final JdbcClient jdbc;
  private final Snapshot snapshot;

  public Statements(JdbcClient jdbc, Snapshot snapshot) {
    this.jdbc = jdbc;
    this.snapshot = snapshot;
  }

  /// Returns the statement of a month.
  ///
  /// @param zone zone of the month and its days
  /// @param now end of a month that is not over
  /// @throws IllegalStateException if the bills do not add up to the postings: a defect that
  ///   `verify` shows, too
  public Statement of(String account, YearMonth month, ZoneId zone, Instant now) {
    return snapshot.read(() -> read(account, month, zone, now));
  }

  /// Returns the begin of the first month that was not dropped; empty if no month was.
  public Optional<Instant> keptFrom() {
    return jdbc.sql("select month_start(max(cut)) from sealed having max(cut) is not null")
        .query((row, _) -> row.getTimestamp(1).toInstant())
        .optional();
  }

  private Statement read(String account, YearMonth month, ZoneId zone, Instant now) {
    Instant from = month.atDay(1).atStartOfDay(zone).toInstant();
    Instant end = month.plusMonths(1).atDay(1).atStartOfDay(zone).toInstant();
    boolean isWhole = !now.isBefore(end);
    MicroDenarii opening = balance(account).minus(postedSince(account, from));
    MicroDenarii closing = opening.plus(posted(account, from, end));
    List<Statement.Movement> movements = movements(account, from, end);
    List<Statement.DayCharges> charges = charges(account, from, end, zone);
    BillLines total =
        charges.stream()
            .map(Statement.DayCharges::lines)
            .reduce(BillLines.NOTHING, BillLines::plus);
    MicroDenarii sum =
        movements.stream()
            .map(Statement.Movement::amount)
            .reduce(opening.minus(total.net()), MicroDenarii::plus);
    if (!sum.equals(closing)) {
      throw new IllegalStateException(
          "the statement of %s for %s sums to %s, its postings to %s"
              .formatted(account, month, sum, closing));
    }
    return new Statement(
        account,
        month,
        zone,
        from,
        isWhole ? end : now,
        isWhole,
        opening,
        movements,
        charges,
        total,
        closing);
  }

  // Kept by the postings' trigger and compared by `verify`: to add up years of postings for each
  // statement would take seconds.
  private MicroDenarii balance(String account) {
    return new MicroDenarii(
        jdbc.sql("select balance_microdenarii from credit_account where account = ?")
            .param(account)
            .query(Long.class)
            .single());
  }

  private MicroDenarii postedSince(String account, Instant from) {
    return new MicroDenarii(
        jdbc.sql(
                "select coalesce(sum(p.amount_microdenarii), 0)::bigint from ledger_transaction t"
                    + " join posting p on p.transaction_id = t.id"
                    + " where p.account = ? and t.posted_at >= ?")
            .param(LedgerAccount.user(account).name())
            .param(Timestamp.from(from))
            .query(Long.class)
            .single());
  }

  private MicroDenarii posted(String account, Instant from, Instant to) {
    return new MicroDenarii(
        jdbc.sql(
                """
                select coalesce(sum(p.amount_microdenarii), 0)::bigint from posting p
                join ledger_transaction t on t.id = p.transaction_id where p.account = ? and t.posted_at >= ? and t.posted_at < ?
                """)
            .param(LedgerAccount.user(account).name())
            .param(Timestamp.from(from))
            .param(Timestamp.from(to))
            .query(Long.class)
            .single());
  }

  private List<Statement.Movement> movements(String account, Instant from, Instant to) {
    return jdbc.sql(
            "select t.kind, count(*), sum(p.amount_microdenarii)::bigint from posting p"
                + " join ledger_transaction t on t.id = p.transaction_id"
                + " where p.account = ? and t.posted_at >= ? and t.posted_at < ? and t.kind not in "
                + OF_USE
                + " group by t.kind order by t.kind")
        .param(LedgerAccount.user(account).name())
        .param(Timestamp.from(from))
        .param(Timestamp.from(to))
        .query((row, _) ->
            new Statement.Movement(
                row.getString(1), row.getLong(2), new MicroDenarii(row.getLong(3))))
        .list();
  }

  // The bill of an interval is posted once, and reversed once at most. A transaction that moves
  // nothing of the user's has no posting of the user, and its charges are 0.
  private List<Statement.DayCharges> charges(
      String account, Instant from, Instant to, ZoneId zone) {
    return jdbc.sql(
            """
            select (b.posted_at at time zone :zone)::date, c.service_class, count(*),
              sum(b.sign * c.charge_microdenarii)::bigint, sum(b.sign * c.discount_microdenarii)::bigint,
              sum(b.sign * c.access_fee_microdenarii)::bigint, sum(b.sign * c.surcharge_microdenarii)::bigint,
              sum(b.sign * c.refund_microdenarii)::bigint
            from (select distinct t.id, t.interval_id, t.posted_at, case when t.kind = 'REVERSAL' then -1 else 1 end as sign
                  from posting p join ledger_transaction t on t.id = p.transaction_id
                  where p.account = :account and t.posted_at >= :from and t.posted_at < :to and t.kind in
            """
                + OF_USE
                + ") b join charge c on c.interval_id = b.interval_id group by 1, 2 order by 1, 2")
        .param("zone", zone.getId())
        .param("account", LedgerAccount.user(account).name())
        .param("from", Timestamp.from(from))
        .param("to", Timestamp.from(to))
        .query((row, _) ->
            new Statement.DayCharges(
                row.getDate(1).toLocalDate(), row.getString(2), row.getLong(3), lines(row)))
        .list();
  }

  private static BillLines lines(ResultSet row) throws SQLException {
    return new BillLines(
        new MicroDenarii(row.getLong(4)),
        new MicroDenarii(row.getLong(5)),
        MicroDenarii.ZERO,
        new MicroDenarii(row.getLong(6)),
        new MicroDenarii(row.getLong(7)),
        new MicroDenarii(row.getLong(8)));
  }
}
