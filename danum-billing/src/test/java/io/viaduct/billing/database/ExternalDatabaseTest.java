package io.viaduct.billing.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.viaduct.billing.ledger.LedgerVerification;
import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.postgresql.PostgreSQLContainer;

/// Tests cases that the embedded PostgreSQL cannot: an external server, an older release, and a
/// role that owns only the tables of its own schema. Skipped if there is no container engine.
@Testcontainers(disabledWithoutDocker = true)
class ExternalDatabaseTest {
  @Container
  private static final PostgreSQLContainer POSTGRES = new PostgreSQLContainer("postgres:16-alpine");

  @Test
  void anOrdinaryRoleOfAnOlderReleaseCanMigrateAndCannotChangeWhatIsPosted() throws Exception {
    try (Connection superuser = POSTGRES.createConnection("");
        Statement statement = superuser.createStatement()) {
      statement.execute("create role billing login password 'billing-secret'");
      statement.execute("create database billing owner billing");
    }
    DatabaseAddress address =
        new DatabaseAddress(
            POSTGRES.getJdbcUrl().replace("/" + POSTGRES.getDatabaseName(), "/billing"),
            "billing",
            "billing-secret");
    try (HikariDataSource pool = Migrations.open(DatabaseAccess.oneRole(address), 2)) {
      JdbcTemplate jdbc = new JdbcTemplate(pool);
      assertThat(
              new LedgerVerification(
                      JdbcClient.create(jdbc), new Snapshot(new JdbcTransactionManager(pool)))
                  .run())
          .allMatch(LedgerVerification.Check::holds);
      assertThatThrownBy(() -> jdbc.execute("delete from ledger_account"))
          .hasMessageContaining("permission denied");
    }
    try (HikariDataSource again = Migrations.open(DatabaseAccess.oneRole(address), 2)) {
      assertThat(again.isRunning()).isTrue();
    }
  }
}
