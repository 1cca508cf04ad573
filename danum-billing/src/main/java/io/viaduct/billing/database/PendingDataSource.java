package io.viaduct.billing.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.AbstractDataSource;

/// A database that is still starting: whoever wants a connection waits until it has started. It
/// lets the parts above be made meanwhile, which halves the time of a start.
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
    throw new SQLException("billing has one role, ask for no other");
  }
}
