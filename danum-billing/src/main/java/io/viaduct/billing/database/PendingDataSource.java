package io.viaduct.billing.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.AbstractDataSource;

/// A data source for a database that is still starting: a request for a connection waits until it
/// has started. Other parts can be created meanwhile, which halves the start time.
public final class PendingDataSource extends AbstractDataSource {
  private final CompletableFuture<? extends DataSource> database;

  public PendingDataSource(CompletableFuture<? extends DataSource> database) {
    this.database = database;
  }

  @Override
  public Connection getConnection() throws SQLException {
    try {
      return database.join().getConnection();
    } catch (CompletionException e) {
      throw new SQLException("the database did not start", "08001", e.getCause());
    }
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    throw new SQLException("billing connects with one role only");
  }
}
