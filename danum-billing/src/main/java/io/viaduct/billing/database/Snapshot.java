package io.viaduct.billing.database;

import java.util.function.Supplier;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/// Reads several rows or sums as of one moment: all queries of a run see the same snapshot of the
/// database, which other transactions go on to change.
public final class Snapshot {
  private final TransactionTemplate transaction;

  public Snapshot(PlatformTransactionManager transactions) {
    transaction = new TransactionTemplate(transactions);
    transaction.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
    transaction.setReadOnly(true);
  }

  /// Runs queries in one snapshot; in the one of the caller, if it has begun one.
  ///
  /// @throws org.springframework.dao.DataAccessException if the database is not available
  public <T> T read(Supplier<T> queries) {
    return transaction.execute(_ -> queries.get());
  }
}
