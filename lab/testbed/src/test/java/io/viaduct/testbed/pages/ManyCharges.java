package io.viaduct.testbed.pages;

import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;

/// A year of charges of one account, written by SQL: two flows in each interval, evenly spread, of
/// ten applications in four classes. Each interval has its report and its posting.
final class ManyCharges {
  private static final String[] TABLES = {
    "charging_interval", "snapt_report", "charge", "ledger_transaction", "posting"
  };

  /// Intervals of one statement: billing gives up on one that takes a minute.
  private static final long SLICE = 25_000;

  /// The last interval began a minute ago, the first a year before it.
  private static final String START =
      "date_trunc('minute', now()) - (:n - i) * (interval '365 days' / :n)";

  /// Cost of each of the two charges of interval `i`, less its discount, micro-denarii.
  private static final String NET = "(900 + i % 5000 - i % 50)";

  private ManyCharges() {}

  /// @param charges how many; half as many intervals
  static void write(JdbcTemplate database, String account, long charges) {
    long intervals = charges / 2;
    // The rows are what posting would have written; to check each of them again would take hours.
    for (String table : TABLES) {
      database.execute("alter table " + table + " disable trigger user");
    }
    for (long from = 1; from <= intervals; from += SLICE) {
      for (String sql : statements()) {
        database.update(
            sql.replace("$start", START)
                .replace(":account", "'" + account + "'")
                .replace(":from", Long.toString(from))
                .replace(":to", Long.toString(Math.min(intervals, from + SLICE - 1)))
                .replace(":n", Long.toString(intervals)));
      }
    }
    // Their triggers are off.
    database.update(
        "insert into interval_key select snapt_id, session_id, epoch, sequence, id from charging_interval on conflict do nothing");
    database.update(
        "insert into ledger_identity select identity, id from ledger_transaction on conflict do nothing");
    sums(database, account);
    for (String table : TABLES) {
      database.execute("alter table " + table + " enable trigger user");
      database.execute("analyze " + table);
    }
    for (String table : List.of("charging_interval", "charge", "ledger_transaction")) {
      database.execute(
          "select setval('" + table + "_id', (select max(id) from " + table + "_before))");
    }
    // What autovacuum does within minutes of such an insert; index-only scans need it.
    database.execute("vacuum charge");
  }

  /// Writes one interval of two charges that ends now, as posting does: in one transaction, under
  /// all triggers.
  ///
  /// @param number unique number of the interval
  /// @return ids of the charges
  static List<Long> addOne(JdbcTemplate database, String account, long number) {
    database.execute((Connection connection) -> {
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        for (String sql : statements()) {
          statement.executeUpdate(
              sql.replace("$start", "now() - interval '60 s'")
                  .replace(":account", "'" + account + "'")
                  .replace(":from", Long.toString(number))
                  .replace(":to", Long.toString(number)));
        }
        connection.commit();
      } finally {
        connection.rollback(); // nothing after a commit
        connection.setAutoCommit(true);
      }
      return 0;
    });
    return List.of(10_000_000 + 2 * number, 10_000_001 + 2 * number);
  }

  // What the triggers of the postings would have kept.
  private static void sums(JdbcTemplate database, String account) {
    database.update(
        """
        update credit_account c set balance_microdenarii =
          (select sum(amount_microdenarii) from posting where account = 'USER:' || c.account)
        where account = ?
        """,
        account);
    database.update(
        """
        insert into spending select ?, (t.posted_at at time zone 'UTC')::date, sum(p.amount_microdenarii)
        from ledger_transaction t join posting p on p.transaction_id = t.id
        where t.kind = 'PROVISIONAL' and p.account = 'CLEARING' group by 2
        on conflict (account, day) do update set spent_microdenarii = excluded.spent_microdenarii
        """,
        account);
  }

  private static List<String> statements() {
    return List.of(
        """
        insert into charging_interval (id, snapt_id, session_id, epoch, sequence, account, owner, icid,
          token_id, started_at, ended_at, received_at, grace_ends_at, clock, tariff_version, state)
        select 1000000 + i, 'snapt-' || i % 2, 's-' || i / 1000, 1, i, :account, 'operator', '', '',
          at, at + interval '60 s', at, at, 'GOOD', 1, 'FINAL'
        from (select i, $start as at from generate_series(:from, :to) i) x
        """,
        """
        insert into snapt_report (interval_id, digest, last, pre_bytes,
          post_bytes, overhead_bytes, charge_microdenarii, discount_microdenarii)
        select 1000000 + i, decode(repeat('00', 32), 'hex'), false, 0, 0, 0, 0, 0
        from generate_series(:from, :to) i
        """,
        """
        insert into charge (id, interval_id, flow, account, started_at, application, service_class,
          protocol, pre_bytes, post_bytes, saved_bytes, duration_ms,
          throughput, delay_ms, delay_source, loss, utility_per_second, price_per_unit, units,
          charge_microdenarii, discount_microdenarii)
        select 10000000 + 2 * i + f, 1000000 + i, f, :account, at, 'application-' || (i * 7 + f) % 10,
          (array['LT_LD', 'HT_LD', 'LT_HD', 'HT_HD'])[1 + (i + f) % 4], 6,
          50000 + i % 1000, 30000, 20000 + i % 1000, 60000, 8, 40, 'MEASURED', 0, 0.1, 0.0001, 400,
          1000 + i % 5000, 100 + i % 50 -- see NET
        from (select i, f, $start as at from generate_series(:from, :to) i, generate_series(0, 1) f) x
        """,
        """
        insert into ledger_transaction (id, kind, identity, postings, interval_id, posted_at, note)
        select 1000000 + i, 'PROVISIONAL', 'many-' || i, 2, 1000000 + i, at, ''
        from (select i, $start as at from generate_series(:from, :to) i) x
        """,
        "insert into posting select 1000000 + i, 1, 'USER:' || :account, -2 * $net from generate_series(:from, :to) i"
            .replace("$net", NET),
        "insert into posting select 1000000 + i, 2, 'CLEARING', 2 * $net from generate_series(:from, :to) i"
            .replace("$net", NET));
  }
}
