package io.viaduct.billing.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.postgresql.ds.PGSimpleDataSource;

/// Opens the pool and brings the schema to this version, in that order, before anything reads it.
public final class Migrations {
  /// A caller who waits longer for a connection is told to come again.
  private static final Duration CONNECTION_PATIENCE = Duration.ofSeconds(3);

  private static final int PATIENCE_APART_SECONDS = 10;

  private Migrations() {}

  /// A pool of connections to a migrated schema.
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
    config.setConnectionTimeout(CONNECTION_PATIENCE.toMillis());
    config.addDataSourceProperty("reWriteBatchedInserts", "true");
    config.addDataSourceProperty("socketTimeout", "60");
    config.addDataSourceProperty("tcpKeepAlive", "true");
    config.addDataSourceProperty("ApplicationName", "danum-billing");
    return config;
  }

  /// Connections beside the pool, to the same database: for who keeps one.
  public static DataSource apart(HikariDataSource pool) {
    PGSimpleDataSource apart = new PGSimpleDataSource();
    apart.setUrl(pool.getJdbcUrl());
    apart.setUser(pool.getUsername());
    apart.setPassword(pool.getPassword());
    apart.setTcpKeepAlive(true);
    apart.setSocketTimeout(PATIENCE_APART_SECONDS);
    apart.setConnectTimeout(PATIENCE_APART_SECONDS);
    apart.setApplicationName("danum-billing");
    return apart;
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
