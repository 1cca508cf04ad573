package io.viaduct.billing.settlement;

import io.viaduct.billing.ledger.BillColumns;
import io.viaduct.billing.ledger.BillLines;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerTransaction;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.wallet.Wallets;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Takes the charge of an interval back: makes the interval VOID, and posts the opposite of its
/// bill and of its revisions. Wallets that paid get their money back.
final class Reversal {
  /// @param isLate true if its report came after the grace time
  /// @param posted the bill of its report
  /// @param current the bill that counts
  private record Interval(
      IntervalKey key,
      String account,
      String owner,
      boolean isLate,
      BillLines posted,
      BillLines current) {
    private LedgerTransaction.Billed billed(long id, BillLines lines) {
      return new LedgerTransaction.Billed(id, key.text(), account, owner, lines);
    }
  }

  private Reversal() {}

  /// Reverses an interval. The caller holds the locks of its account.
  static void post(JdbcClient jdbc, Ledger ledger, long id, Instant now) {
    // A statement takes the bill of the report back on the day of the reversal, and lists what
    // re-rating added as another movement.
    BillLines posted =
        jdbc.sql("select r.* from snapt_report r where r.interval_id = ?")
            .param(id)
            .query((row, _) -> BillColumns.read(row))
            .single();
    Interval interval =
        jdbc.sql(
                """
                select i.snapt_id, i.session_id, i.epoch, i.sequence, i.account, i.owner,
                  i.received_at >= i.grace_ends_at as late, r.*
                from charging_interval i join current_report r on r.interval_id = i.id where i.id = ?
                """)
            .param(id)
            .query((row, _) ->
                new Interval(
                    new IntervalKey(
                        row.getString(1), row.getString(2), row.getLong(3), row.getLong(4)),
                    row.getString(5),
                    row.getString(6),
                    row.getBoolean(7),
                    posted,
                    BillColumns.read(row)))
            .single();
    jdbc.sql("update charging_interval set state = 'VOID' where id = ?").param(id).update();
    BillLines revised = posted.minus(interval.current());
    ledger.post(
        List.of(
            LedgerTransaction.withdrawnRevisions(interval.billed(id, revised), interval.isLate()),
            LedgerTransaction.reversal(interval.billed(id, posted), interval.isLate())),
        now);
    new Wallets(jdbc).giveBack(savings(jdbc, id), Wallets.Reason.BILL);
  }

  private static List<Wallets.Saving> savings(JdbcClient jdbc, long id) {
    return jdbc.sql(
            "select c.id, c.net from current_charge c where c.interval_id = ? order by c.id")
        .param(id)
        .query((row, _) ->
            new Wallets.Saving(
                Set.of(row.getLong(1)), new MicroDenarii(row.getLong(2)), MicroDenarii.ZERO))
        .list();
  }
}
