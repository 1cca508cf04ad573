package io.viaduct.billing.audit;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/// Tells PostgreSQL which entry of the audit log a connection serves, so that triggers write each
/// changed row to that entry in the transaction of the change. A connection for any other thread is
/// passed on as it is.
public final class AuditedDataSource extends DelegatingDataSource {
  private static final ThreadLocal<@Nullable Long> ENTRY = new ThreadLocal<>();

  public AuditedDataSource(DataSource connections) {
    super(connections);
  }

  /// Marks what this thread changes from now on as changes of an entry; null ends it.
  static void serve(@Nullable Long entry) {
    if (entry == null) {
      ENTRY.remove();
    } else {
      ENTRY.set(entry);
    }
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection connection = super.getConnection();
    Long entry = ENTRY.get();
    if (entry == null) {
      return connection;
    }
    try {
      name(connection, Long.toString(entry));
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
    return named(connection);
  }

  private static Connection named(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            AuditedDataSource.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (_, method, arguments) -> {
              if (method.getName().equals("close")) {
                end(connection);
                return null;
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause() == null ? e : e.getCause();
              }
            });
  }

  // A connection that still names the entry must not go back to the pool.
  private static void end(Connection connection) throws SQLException {
    try (connection) {
      if (!connection.isClosed()) {
        name(connection, "");
      }
    } catch (SQLException e) {
      connection.abort(Runnable::run);
      throw e;
    }
  }

  private static void name(Connection connection, String entry) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("select set_config('viaduct.audit_entry', ?, false)")) {
      statement.setString(1, entry);
      statement.execute();
    }
  }
}
