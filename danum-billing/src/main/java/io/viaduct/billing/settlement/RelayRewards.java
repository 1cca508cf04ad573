package io.viaduct.billing.settlement;

import io.viaduct.billing.credit.CreditLock;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerTransaction;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.rating.RelayShare;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.TariffVersion;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Pays the relays of settled intervals out of the operator's part (ADR 0068). An interval stands
/// in `relay_reward_due` from its report on until its relays have what its bill gives them, and
/// again when a re-rating changes that bill. Several processes may pay at the same time: each skips
/// intervals that another has locked.
public final class RelayRewards {
  /// Most intervals of one transaction. It limits the time for which accounts are locked.
  private static final int BATCH = 200;

  private final TransactionTemplate transaction;
  private final JdbcClient jdbc;
  private final TariffBook tariffs;
  private final Ledger ledger;

  public RelayRewards(
      TransactionTemplate transaction, JdbcClient jdbc, TariffBook tariffs, Ledger ledger) {
    this.transaction = transaction;
    this.jdbc = jdbc;
    this.tariffs = tariffs;
    this.ledger = ledger;
  }

  /// Notes the relays of intervals that are being stored, those that may earn: active accounts with
  /// a balance, other than the payer.
  static void insert(JdbcTemplate batches, List<BilledInterval> billed) {
    List<Object[]> rows = new ArrayList<>();
    for (BilledInterval interval : billed) {
      for (MeasuredInterval.Relayed relayed : interval.report().relays()) {
        if (!relayed.account().equals(interval.report().account())) {
          rows.add(new Object[] {interval.id(), relayed.bytes(), relayed.account()});
        }
      }
    }
    if (rows.isEmpty()) {
      return;
    }
    batches.batchUpdate(
        "insert into relayed_bytes (interval_id, account, bytes) select ?, a.id, ? from account a"
            + " join credit_account c on c.account = a.id where a.id = ? and a.state = 'active'",
        rows);
    batches.batchUpdate(
        "insert into relay_reward_due (interval_id) values (?)",
        rows.stream().map(row -> row[0]).distinct().map(id -> new Object[] {id}).toList());
  }

  /// Pays what is due.
  ///
  /// @return accounts whose balances changed
  public List<String> payDue(Instant now) {
    TreeSet<String> changed = new TreeSet<>();
    int paid;
    do {
      paid = transaction.execute(_ -> payBatch(now, changed));
    } while (paid == BATCH);
    return List.copyOf(changed);
  }

  private record Due(
      long id, String snapt, int tariffVersion, int revision, long charge, long wireBytes) {}

  // An interval that can never be settled earns nothing, and one that is not settled yet waits.
  // Credits are locked before the rows of intervals, as a re-rating does; the bills are read after
  // both.
  private int payBatch(Instant now, TreeSet<String> changed) {
    jdbc.sql(
            """
            delete from relay_reward_due d where not exists (select from charging_interval i
              where i.id = d.interval_id and i.state not in ('ADJUSTED', 'VOID'))
            """)
        .update();
    Long[] ids =
        jdbc.sql(
                "select d.interval_id from relay_reward_due d join charging_interval i on i.id = d.interval_id"
                    + " where i.state = 'FINAL' order by 1 limit ?")
            .param(BATCH)
            .query(Long.class)
            .list()
            .toArray(Long[]::new);
    if (ids.length == 0) {
      return 0;
    }
    Map<Long, TreeMap<String, Long>> relays = byAccount(ids, RELAYED);
    relays.values().forEach(each -> changed.addAll(each.keySet()));
    CreditLock.take(jdbc, changed);
    List<Due> due = lock(ids);
    Map<Long, TreeMap<String, Long>> paid = byAccount(ids, PAID);
    List<TariffVersion> versions = tariffs.versions();
    ledger.post(
        due.stream()
            .map(each ->
                reward(
                    each,
                    versions.get(each.tariffVersion() - 1).tariff().relayShare(),
                    relays.getOrDefault(each.id(), new TreeMap<>()),
                    paid.getOrDefault(each.id(), new TreeMap<>())))
            .toList(),
        now);
    jdbc.sql("delete from relay_reward_due where interval_id = any(?)")
        .param(due.stream().map(Due::id).toArray(Long[]::new))
        .update();
    return due.size();
  }

  private List<Due> lock(Long[] ids) {
    Long[] locked =
        jdbc.sql(
                "select interval_id from relay_reward_due where interval_id = any(?)"
                    + " order by 1 for update skip locked")
            .param(ids)
            .query(Long.class)
            .list()
            .toArray(Long[]::new);
    return jdbc.sql(
            """
            select i.id, i.snapt_id, i.tariff_version, r.charge_microdenarii, s.post_bytes + s.overhead_bytes,
              coalesce(n.revision, 0)
            from charging_interval i join current_report r on r.interval_id = i.id
            join snapt_report s on s.interval_id = i.id left join newest_revision n on n.interval_id = i.id
            where i.id = any(?) order by i.id
            """)
        .param(locked)
        .query((row, _) ->
            new Due(
                row.getLong(1),
                row.getString(2),
                row.getInt(3),
                row.getInt(6),
                row.getLong(4),
                row.getLong(5)))
        .list();
  }

  private static final String RELAYED =
      "select interval_id, account, bytes from relayed_bytes where interval_id = any(?)";

  private static final String PAID =
      "select t.interval_id, substr(p.account, 6), sum(p.amount_microdenarii)::bigint"
          + " from ledger_transaction t join posting p on p.transaction_id = t.id"
          + " where t.interval_id = any(?) and t.kind = 'RELAY' and p.account like 'USER:%' group by 1, 2";

  private Map<Long, TreeMap<String, Long>> byAccount(Long[] intervals, String query) {
    Map<Long, TreeMap<String, Long>> amounts = new HashMap<>();
    jdbc.sql(query)
        .param(intervals)
        .query(row -> {
          amounts
              .computeIfAbsent(row.getLong(1), _ -> new TreeMap<>())
              .put(row.getString(2), row.getLong(3));
        });
    return amounts;
  }

  private static LedgerTransaction reward(
      Due due, double share, TreeMap<String, Long> relays, TreeMap<String, Long> paid) {
    List<MicroDenarii> rewards =
        RelayShare.of(
            new MicroDenarii(due.charge()),
            share,
            due.wireBytes(),
            relays.values().stream().mapToLong(Long::longValue).toArray());
    Map<String, MicroDenarii> missing = new TreeMap<>();
    int i = 0;
    for (String relay : relays.keySet()) {
      missing.put(relay, rewards.get(i++).minus(new MicroDenarii(paid.getOrDefault(relay, 0L))));
    }
    return LedgerTransaction.relayRewards(
        "relay:" + due.id() + "#" + due.revision(), due.id(), due.snapt(), missing);
  }
}
