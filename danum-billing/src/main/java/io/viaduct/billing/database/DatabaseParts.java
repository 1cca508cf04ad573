package io.viaduct.billing.database;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.audit.AuditedDataSource;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.lifecycle.PeriodicTasks;
import io.viaduct.billing.lifecycle.Running;
import io.viaduct.billing.lifecycle.Stage;
import io.viaduct.service.operations.Readiness;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/// Makes the database and the ways to it.
@Configuration(proxyBeanMethods = false)
class DatabaseParts {
  /// Lets the database store its first rows before Spring makes Tomcat and any other bean.
  @Bean
  static BeanFactoryPostProcessor firstRows() {
    return beans -> {
      ObjectProvider<FirstRows> rows = beans.getBeanProvider(FirstRows.class);
      beans.getBean(OpeningDatabase.class).store(rows.stream().toList());
    };
  }

  @Bean
  DataSource dataSource(OpeningDatabase database) {
    return new AuditedDataSource(new PendingDataSource(database.connections()));
  }

  @Bean
  JdbcTemplate batches(DataSource dataSource) {
    return new JdbcTemplate(dataSource);
  }

  @Bean
  JdbcClient jdbc(JdbcTemplate batches) {
    return JdbcClient.create(batches);
  }

  @Bean
  PlatformTransactionManager transactions(DataSource dataSource) {
    return new JdbcTransactionManager(dataSource);
  }

  @Bean
  TransactionTemplate transaction(PlatformTransactionManager transactions) {
    return new TransactionTemplate(transactions);
  }

  @Bean
  Snapshot snapshot(PlatformTransactionManager transactions) {
    return new Snapshot(transactions);
  }

  @Bean
  Running<AutoCloseable> databaseReady(
      OpeningDatabase database,
      BillingConfiguration configuration,
      Readiness readiness,
      MeterRegistry registry) {
    return new Running<>(
        Stage.DATABASE,
        () -> {
          HikariDataSource pool = database.await();
          database.embedded().ifPresent(own -> own.supervise(registry));
          measure(pool, configuration.database().connections(), registry);
          readiness.cleared("database");
          return () -> {}; // HTTP requests that end later still need the connections
        });
  }

  @Bean
  Running<AutoCloseable> databaseWatch(
      OpeningDatabase database, Readiness readiness, MeterRegistry registry) {
    return new Running<>(
        Stage.SETTLEMENT,
        () -> {
          var watch =
              new DatabaseWatch(Migrations.outsidePool(database.await()), readiness, registry);
          PeriodicTasks tasks = new PeriodicTasks("database-watch");
          tasks.every(DatabaseWatch.PERIOD, "the watch of the database", watch::ask);
          return () -> {
            tasks.close();
            watch.close();
          };
        });
  }

  @Bean
  Running<Notifications> notifications(
      OpeningDatabase database, List<Notifications.Listener> listeners) {
    return new Running<>(
        Stage.NOTIFICATIONS,
        () -> Notifications.start(Migrations.outsidePool(database.await()), listeners));
  }

  private static void measure(HikariDataSource pool, int connectionsMax, MeterRegistry registry) {
    Gauge.builder("viaduct_database_connections", pool, DatabaseParts::used)
        .description("Connections in use")
        .register(registry);
    Gauge.builder("viaduct_database_connections_max", () -> connectionsMax)
        .description("Most connections that may be in use: database.connections")
        .register(registry);
  }

  private static int used(HikariDataSource pool) {
    return pool.getHikariPoolMXBean() == null
        ? 0
        : pool.getHikariPoolMXBean().getActiveConnections();
  }
}
