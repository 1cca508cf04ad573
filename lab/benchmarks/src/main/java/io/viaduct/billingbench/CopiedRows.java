package io.viaduct.billingbench;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

/// COPY of rows that billing has posted, into tables with the same columns, CHECK constraints and
/// indexes, but without foreign keys and triggers: what this PostgreSQL can do at all with these
/// rows.
final class CopiedRows {
  private record Table(String name, String newer) {}

  private static final List<Table> TABLES =
      List.of(
          new Table("charging_interval", "id > %d"),
          new Table("snapt_report", "interval_id > %d"),
          new Table("charge", "interval_id > %d"),
          new Table("flow_peer", "interval_id > %d"),
          new Table("report_original", "interval_id > %d"),
          new Table("interval_key", "interval_id > %d"),
          new Table(
              "ledger_identity",
              "transaction_id in (select id from ledger_transaction where interval_id > %d)"),
          new Table("ledger_transaction", "interval_id > %d"),
          new Table(
              "posting",
              "transaction_id in (select id from ledger_transaction where interval_id > %d)"));

  private CopiedRows() {}

  /// Returns the newest interval.
  static long newest(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        var row = statement.executeQuery("select coalesce(max(id), 0) from charging_interval")) {
      row.next();
      return row.getLong(1);
    }
  }

  /// Copies the rows of all intervals that are newer, over one connection and in one transaction.
  ///
  /// @return seconds from the first byte to the end of the commit
  static double copy(Connection connection, long after) throws SQLException, IOException {
    connection.setAutoCommit(false);
    CopyManager copy = connection.unwrap(PGConnection.class).getCopyAPI();
    try (Statement statement = connection.createStatement()) {
      Map<String, byte[]> rows = new LinkedHashMap<>();
      for (Table table : TABLES) {
        var out = new ByteArrayOutputStream();
        copy.copyOut(
            "copy (select * from %s where %s) to stdout (format binary)"
                .formatted(table.name(), table.newer().formatted(after)),
            out);
        rows.put(table.name(), out.toByteArray());
        statement.execute(
            "create table copied_%1$s (like %1$s including all)".formatted(table.name()));
      }
      connection.commit();
      long beginNs = System.nanoTime();
      for (Map.Entry<String, byte[]> table : rows.entrySet()) {
        copy.copyIn(
            "copy copied_%s from stdin (format binary)".formatted(table.getKey()),
            new ByteArrayInputStream(table.getValue()));
      }
      connection.commit();
      return (System.nanoTime() - beginNs) / 1e9;
    } finally {
      connection.rollback();
      try (Statement statement = connection.createStatement()) {
        for (Table table : TABLES) {
          statement.execute("drop table if exists copied_" + table.name());
        }
      }
      connection.commit();
    }
  }
}
