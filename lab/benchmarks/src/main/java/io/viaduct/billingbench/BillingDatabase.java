package io.viaduct.billingbench;

import io.viaduct.billing.database.DatabaseAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/// The database of a measured billing, seen by the role that owns its tables.
///
/// @param owner address of that role
record BillingDatabase(DatabaseAddress owner) {
  Connection connect() throws SQLException {
    return DriverManager.getConnection(owner.url(), owner.user(), owner.password());
  }

  /// Opens accounts without log-in: a password costs 0.1 s of a core each.
  void openAccounts(int count) throws SQLException {
    try (Connection connection = connect();
        PreparedStatement accounts =
            connection.prepareStatement(
                "insert into account (id, display_name, role, password_hash, created_at)"
                    + " select 'bench-' || n, '', 'user', 'none', now() from generate_series(0, ? - 1) n"
                    + " on conflict do nothing");
        PreparedStatement ledger =
            connection.prepareStatement(
                "insert into ledger_account (name, kind, created_at)"
                    + " select 'USER:bench-' || n, 'USER', now() from generate_series(0, ? - 1) n"
                    + " on conflict do nothing")) {
      accounts.setInt(1, count);
      accounts.executeUpdate();
      ledger.setInt(1, count);
      ledger.executeUpdate();
    }
  }

  /// Returns the number of posted flow intervals.
  long flowIntervals() throws SQLException {
    try (Connection connection = connect();
        var statement = connection.createStatement();
        var row = statement.executeQuery("select count(*) from charge")) {
      row.next();
      return row.getLong(1);
    }
  }
}
