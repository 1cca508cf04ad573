package io.viaduct.billing.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.postgresql.ds.PGSimpleDataSource;

/// Opens the connection pool, and then migrates the schema to this version before anything reads
/// it.
public final class Migrations {
  /// Longest wait for a connection; after it the request fails.
  private static final Duration CONNECTION_WAIT_MAX = Duration.ofSeconds(3);

  private static final int OUTSIDE_POOL_TIMEOUT_SECONDS = 10;

  private Migrations() {}

  /// Returns a pool of connections to a migrated schema.
  public static HikariDataSource open(DatabaseAddress address, int connections) {
    HikariDataSource pool = new HikariDataSource(pool(address, connections));
    try {
      migrate(pool);
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

  private static void migrate(DataSource pool) {
    Flyway.configure()
        .dataSource(pool)
        .locations("classpath:db/migration")
        .cleanDisabled(true)
        .load()
        .migrate();
  }
}
