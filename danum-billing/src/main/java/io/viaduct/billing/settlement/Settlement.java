package io.viaduct.billing.settlement;

import io.viaduct.billing.ledger.BillColumns;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerAccount;
import io.viaduct.billing.ledger.LedgerTransaction;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.rating.Rounding;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.TariffVersion;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Settles intervals whose grace time is over and makes them FINAL. Settlement moves each charge
/// from clearing: the SNAPT's owner gets the fee and the surcharge, the operator gets the rest.
/// Several processes may settle at the same time: each skips rows that another has locked.
public final class Settlement {
  /// Most intervals of one database transaction. It limits the time for which their rows are
  /// locked.
  private static final int BATCH = 500;

  private final TransactionTemplate transaction;
  private final JdbcClient jdbc;
  private final TariffBook tariffs;
  private final Ledger ledger;

  public Settlement(
      TransactionTemplate transaction, JdbcClient jdbc, TariffBook tariffs, Ledger ledger) {
    this.transaction = transaction;
    this.jdbc = jdbc;
    this.tariffs = tariffs;
    this.ledger = ledger;
  }

  private record Due(LedgerTransaction.Billed interval, int tariffVersion) {}

  /// Settles all due intervals.
  ///
  /// @return ids of the settled intervals
  public List<Long> settleDue(Instant now) {
    List<Long> settled = new ArrayList<>();
    List<Long> batch;
    do {
      batch = transaction.execute(_ -> settleBatch(now));
      settled.addAll(batch);
    } while (batch.size() == BATCH);
    return settled;
  }

  private List<Long> settleBatch(Instant now) {
    List<Due> due = bills(lock(now));
    if (due.isEmpty()) {
      return List.of();
    }
    List<TariffVersion> versions = tariffs.versions();
    ledger.open(
        due.stream().map(d -> LedgerAccount.provider(d.interval().owner())).distinct().toList(),
        now);
    ledger.post(due.stream().map(d -> settlement(d, versions)).toList(), now);
    List<Long> ids = due.stream().map(d -> d.interval().id()).toList();
    jdbc.sql("update charging_interval set state = 'FINAL' where id = any(?)")
        .param(ids.toArray(Long[]::new))
        .update();
    return ids;
  }

  private Long[] lock(Instant now) {
    return jdbc.sql(
            """
            select id from charging_interval where state = 'CORRECTED' and grace_ends_at <= ?
            order by grace_ends_at, id limit ? for update skip locked
            """)
        .param(Timestamp.from(now))
        .param(BATCH)
        .query(Long.class)
        .list()
        .toArray(Long[]::new);
  }

  // A statement of its own, behind the locks: a re-rating that has committed since the locking
  // statement began is seen by this one only.
  private List<Due> bills(Long[] locked) {
    return jdbc.sql(
            """
            select i.id, i.snapt_id, i.session_id, i.epoch, i.sequence, i.owner, i.account, i.tariff_version, r.*
            from charging_interval i join current_report r on r.interval_id = i.id
            where i.id = any(?) order by i.grace_ends_at, i.id
            """)
        .param(locked)
        .query((row, _) ->
            new Due(
                new LedgerTransaction.Billed(
                    row.getLong("id"),
                    new IntervalKey(
                            row.getString("snapt_id"),
                            row.getString("session_id"),
                            row.getLong("epoch"),
                            row.getLong("sequence"))
                        .text(),
                    row.getString("account"),
                    row.getString("owner"),
                    BillColumns.read(row)),
                row.getInt("tariff_version")))
        .list();
  }

  private static LedgerTransaction settlement(Due due, List<TariffVersion> versions) {
    double share = versions.get(due.tariffVersion() - 1).tariff().providerFee();
    MicroDenarii charge = due.interval().lines().charge();
    return LedgerTransaction.settlement(due.interval(), Rounding.share(charge, share));
  }
}
