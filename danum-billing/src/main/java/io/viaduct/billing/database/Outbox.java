package io.viaduct.billing.database;

import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Passes the rows of an outbox on, oldest first, and deletes them when another system has them.
/// One instance at a time holds the outbox's lock. A row is passed on twice if that instance dies
/// between both.
public final class Outbox {
  /// Most rows of one transaction.
  private static final int BATCH = 500;

  /// Most rows that are counted.
  private static final int COUNTED_MAX = 100_000;

  private final TransactionTemplate transaction;
  private final JdbcClient jdbc;
  private final String table;
  private final long lock;

  /// @param table name of the table, whose column `id` has the order; a constant, because it is not
  ///   escaped
  /// @param lock any number that nothing else takes
  public Outbox(TransactionTemplate transaction, JdbcClient jdbc, String table, long lock) {
    this.transaction = transaction;
    this.jdbc = jdbc;
    this.table = table;
    this.lock = lock;
  }

  /// Passes on one batch.
  @FunctionalInterface
  public interface Batch {
    /// Passes on at most `limit` rows, the oldest first.
    ///
    /// @return ids of the rows that are passed on, which are deleted
    List<Long> pass(int limit);
  }

  /// Passes on all rows that wait, batch by batch, until a batch is not full. What a batch throws
  /// ends the work; its rows stay.
  public void drain(Batch batch) {
    while (transaction.execute(_ -> isOurs() ? one(batch) : 0) == BATCH) {
      // more wait
    }
  }

  /// Runs work in a transaction with the outbox's lock, unless another instance has it.
  public void locked(Runnable work) {
    transaction.executeWithoutResult(_ -> {
      if (isOurs()) {
        work.run();
      }
    });
  }

  private boolean isOurs() {
    return jdbc.sql("select pg_try_advisory_xact_lock(?)")
        .param(lock)
        .query(Boolean.class)
        .single();
  }

  private int one(Batch batch) {
    List<Long> passed = batch.pass(BATCH);
    if (!passed.isEmpty()) {
      jdbc.sql("delete from " + table + " where id = any(?)")
          .param(passed.toArray(Long[]::new))
          .update();
    }
    return passed.size();
  }

  /// Returns how many rows wait; at most 100 000 are counted.
  public long waiting() {
    return jdbc.sql("select count(*) from (select from " + table + " limit ?) waiting")
        .param(COUNTED_MAX)
        .query(Long.class)
        .single();
  }
}
