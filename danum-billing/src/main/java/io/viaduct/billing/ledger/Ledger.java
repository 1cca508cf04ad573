package io.viaduct.billing.ledger;

import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Posts transactions and reads balances. [#post] runs inside the caller's database transaction, so
/// that a charge and its postings become visible together.
public final class Ledger {
  private final JdbcTemplate batches;
  private final JdbcClient jdbc;

  public Ledger(JdbcTemplate batches) {
    this.batches = batches;
    jdbc = JdbcClient.create(batches);
  }

  /// Opens accounts that are not open yet. They are sorted by name, so that two callers cannot
  /// deadlock.
  public void open(Collection<LedgerAccount> accounts, Instant now) {
    batches.batchUpdate(
        "insert into ledger_account (name, kind, created_at) values (?, ?, ?) on conflict do nothing",
        new TreeSet<>(accounts.stream().map(LedgerAccount::name).toList())
            .stream()
                .map(name -> new Object[] {name, name.split(":", 2)[0], Timestamp.from(now)})
                .toList());
  }

  /// Posts transactions in three round trips, for any number of them. An empty transaction is left
  /// out.
  ///
  /// @return the id of each posted transaction, in order
  /// @throws org.springframework.dao.DuplicateKeyException if a transaction with the same identity
  ///   was posted before
  public List<Long> post(List<LedgerTransaction> transactions, Instant now) {
    List<LedgerTransaction> moving = transactions.stream().filter(t -> !t.isEmpty()).toList();
    if (moving.isEmpty()) {
      return List.of();
    }
    List<Long> ids =
        MonthlyIds.of(jdbc, now, moving.stream().map(LedgerTransaction::intervalId).toList());
    List<Object[]> heads = new ArrayList<>();
    List<Object[]> lines = new ArrayList<>();
    for (int i = 0; i < moving.size(); i++) {
      LedgerTransaction transaction = moving.get(i);
      heads.add(
          new Object[] {
            ids.get(i),
            transaction.kind().name(),
            transaction.identity(),
            transaction.postings().size(),
            transaction.intervalId(),
            Timestamp.from(now),
            transaction.note()
          });
      int line = 0;
      for (LedgerTransaction.Posting posting : transaction.postings()) {
        line++;
        lines.add(
            new Object[] {ids.get(i), line, posting.account().name(), posting.amount().value()});
      }
    }
    batches.batchUpdate(
        "insert into ledger_transaction (id, kind, identity, postings, interval_id, posted_at, note)"
            + " values (?, ?, ?, ?, ?, ?, ?)",
        heads);
    batches.batchUpdate(
        "insert into posting (transaction_id, line, account, amount_microdenarii) values (?, ?, ?, ?)",
        lines);
    return ids;
  }

  /// Returns the sum of all postings of an account.
  public MicroDenarii balance(LedgerAccount account) {
    return new MicroDenarii(
        jdbc.sql(
                "select coalesce(sum(amount_microdenarii), 0)::bigint from posting where account = ?")
            .param(account.name())
            .query(Long.class)
            .single());
  }
}
