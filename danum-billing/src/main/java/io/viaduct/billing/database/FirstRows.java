package io.viaduct.billing.database;

import javax.sql.DataSource;

/// Rows that a new database needs before any request is answered.
@FunctionalInterface
public interface FirstRows {
  /// Stores the rows that are missing.
  void store(DataSource database);
}
