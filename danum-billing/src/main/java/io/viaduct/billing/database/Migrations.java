package io.viaduct.billing.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Migrates the schema to this version as the owner's role, and then opens the connection pool of
/// the application's role.
public final class Migrations {
  /// Longest wait for a connection; after it the request fails.
  private static final Duration CONNECTION_WAIT_MAX = Duration.ofSeconds(3);

  /// Longest wait of the owner's role for a lock: billing waits behind it.
  private static final Duration LOCK_WAIT_MAX = Duration.ofSeconds(10);

  private static final int OUTSIDE_POOL_TIMEOUT_SECONDS = 10;
  private static final Logger LOG = LoggerFactory.getLogger(Migrations.class);

  private Migrations() {}

  /// Returns a pool of the application's connections to a migrated schema. Warns if that role can
  /// change posted rows.
  public static HikariDataSource open(DatabaseAccess access, int connections) {
    migrate(access);
    HikariDataSource pool = new HikariDataSource(pool(access.application(), connections));
    try {
      warnOfOwner(pool);
      return pool;
    } catch (RuntimeException e) {
      pool.close();
      throw e;
    }
  }

  private static HikariConfig pool(DatabaseAddress address, int connections) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("billing");
    config.setJdbcUrl(address.url());
    config.setUsername(address.user());
    config.setPassword(address.password());
    config.setMaximumPoolSize(connections);
    config.setMinimumIdle(1);
    config.setConnectionTimeout(CONNECTION_WAIT_MAX.toMillis());
    config.addDataSourceProperty("reWriteBatchedInserts", "true");
    config.addDataSourceProperty("socketTimeout", "60");
    config.addDataSourceProperty("tcpKeepAlive", "true");
    config.addDataSourceProperty("ApplicationName", "danum-billing");
    return config;
  }

  /// Returns a source of connections outside the pool, to the same database. It is for a caller who
  /// keeps a connection open.
  public static DataSource outsidePool(HikariDataSource pool) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(pool.getJdbcUrl());
    source.setUser(pool.getUsername());
    source.setPassword(pool.getPassword());
    source.setTcpKeepAlive(true);
    source.setSocketTimeout(OUTSIDE_POOL_TIMEOUT_SECONDS);
    source.setConnectTimeout(OUTSIDE_POOL_TIMEOUT_SECONDS);
    source.setApplicationName("danum-billing");
    return source;
  }

  // The callback afterMigrate.sql reads the name of the role that it grants rights to.
  private static void migrate(DatabaseAccess access) {
    String application = access.application().user().replace("'", "''");
    Flyway.configure()
        .dataSource(access.owner().url(), access.owner().user(), access.owner().password())
        .initSql("set viaduct.application = '" + application + "'")
        .locations("classpath:db/migration")
        .cleanDisabled(true)
        .load()
        .migrate();
    try {
      makeMonths(owner(access));
    } catch (DataAccessException e) {
      // Another instance is busy. Retention tries again, and no row needs the partitions.
      LOG.warn("partitions of the next months are made later: {}", e.toString());
    }
  }

  /// Makes the partitions of the present month and of the next three (ADR 0059). A role that does
  /// not own the tables makes none.
  ///
  /// @param owner connections of the role that owns the tables
  /// @return number of months that were made
  public static long makeMonths(DataSource owner) {
    return JdbcClient.create(owner)
        .sql(
            "select coalesce(sum(make_months(now() + interval '3 months')), 0) from pg_class"
                + " where oid = 'posting'::regclass and pg_has_role(current_user, relowner, 'usage')")
        .query(Long.class)
        .single();
  }

  /// Returns a source of single connections of the role that owns the tables.
  public static DataSource owner(DatabaseAccess access) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(access.owner().url());
    source.setUser(access.owner().user());
    source.setPassword(access.owner().password());
    source.setTcpKeepAlive(true);
    source.setConnectTimeout(OUTSIDE_POOL_TIMEOUT_SECONDS);
    source.setApplicationName("danum-billing owner");
    source.setOptions("-c lock_timeout=" + LOCK_WAIT_MAX.toMillis());
    return source;
  }

  // A member of the owner's role and a superuser have the owner's rights too.
  private static void warnOfOwner(HikariDataSource pool) {
    JdbcClient.create(pool)
        .sql(
            "select current_user from pg_class where oid = 'posting'::regclass"
                + " and pg_has_role(current_user, relowner, 'member')")
        .query(String.class)
        .optional()
        .ifPresent(role ->
            LOG.warn(
                "the database role '{}' owns the ledger's tables, so it can change posted rows: give"
                    + " billing a role of its own (database.owner-user, docs/operator.md)",
                role));
  }
}
