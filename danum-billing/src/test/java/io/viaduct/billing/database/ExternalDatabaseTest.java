package io.viaduct.billing.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.viaduct.billing.ledger.LedgerVerification;
import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.postgresql.PostgreSQLContainer;

/// What the embedded PostgreSQL does not prove: an installation of somebody else, an older release,
/// and a role that owns nothing but its own schema's tables. Skipped where no container engine
/// answers.
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
    try (HikariDataSource pool = Migrations.open(address, 2)) {
      JdbcTemplate jdbc = new JdbcTemplate(pool);
      assertThat(new LedgerVerification(jdbc, new JdbcTransactionManager(pool)).run())
          .allMatch(LedgerVerification.Check::holds);
      assertThatThrownBy(() -> jdbc.execute("delete from ledger_account"))
          .hasMessageContaining("permission denied");
    }
    try (HikariDataSource again = Migrations.open(address, 2)) {
      assertThat(again.isRunning()).isTrue();
    }
  }
}
