package io.viaduct.billing.receipts;

import com.zaxxer.hikari.HikariDataSource;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.database.DatabaseAccess;
import io.viaduct.billing.database.DatabaseAddress;
import io.viaduct.billing.database.Migrations;
import java.util.UUID;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/// A database of its own in the shared PostgreSQL, for tests that look at all accounts.
final class OwnDatabase implements AutoCloseable {
  private final DatabaseAccess access;
  final HikariDataSource pool;

  OwnDatabase() {
    String name = "own_" + UUID.randomUUID().toString().replace('-', '_');
    DatabaseAddress owner = SharedDatabase.database().access().owner();
    new JdbcTemplate(new DriverManagerDataSource(owner.url(), "postgres", owner.password()))
        .execute("create database " + name + " owner " + owner.user());
    access =
        new DatabaseAccess(
            in(name, SharedDatabase.database().access().application()), in(name, owner));
    pool = Migrations.open(access, 8);
  }

  private static DatabaseAddress in(String name, DatabaseAddress address) {
    return new DatabaseAddress(
        address.url().replaceFirst("/[^/?]*$", "/" + name), address.user(), address.password());
  }

  JdbcTemplate jdbc() {
    return new JdbcTemplate(pool);
  }

  TransactionTemplate transaction() {
    return new TransactionTemplate(new JdbcTransactionManager(pool));
  }

  /// Returns the database as the role that owns the tables sees it.
  JdbcTemplate owner() {
    DatabaseAddress owner = access.owner();
    return new JdbcTemplate(
        new DriverManagerDataSource(owner.url(), owner.user(), owner.password()));
  }

  /// Changes rows as somebody who owns the tables, without triggers.
  void forge(String statement) {
    DatabaseAddress owner = access.owner();
    JdbcTemplate jdbc =
        new JdbcTemplate(new DriverManagerDataSource(owner.url(), "postgres", owner.password()));
    new TransactionTemplate(new JdbcTransactionManager(jdbc.getDataSource()))
        .executeWithoutResult(_ -> {
          jdbc.execute("set local session_replication_role = replica");
          jdbc.execute(statement);
        });
  }

  @Override
  public void close() {
    pool.close();
  }
}
