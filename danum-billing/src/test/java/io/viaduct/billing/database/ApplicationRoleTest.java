package io.viaduct.billing.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariDataSource;
import io.viaduct.billing.SharedDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

/// The rights of the role that billing runs with, whatever its triggers say.
@Timeout(120)
class ApplicationRoleTest {
  private static final List<String> POSTED =
      List.of(
          "ledger_account",
          "ledger_transaction",
          "posting",
          "top_up",
          "credit",
          "cap_credit",
          "tariff",
          "surcharge",
          "snapt_report",
          "charge",
          "interval_decision",
          "receipt_refusal",
          "token_key",
          "wallet",
          "wallet_draw",
          "wallet_expiry",
          "voucher_batch",
          "payment",
          "payment_event",
          "credit_block",
          "snapt_owner",
          "report_revision",
          "charge_revision");

  @TempDir private Path home;
  private final JdbcTemplate jdbc = SharedDatabase.jdbc();

  @Test
  void theApplicationMayReadAndAddPostedRowsAndNothingElse() {
    for (String table : POSTED) {
      assertThat(rights(table)).as(table).containsExactly("INSERT", "SELECT");
    }
    assertThat(rights("charging_interval")).containsExactly("INSERT", "SELECT", "UPDATE(state)");
    assertThat(rights("held_report")).containsExactly("INSERT", "SELECT", "UPDATE");
    assertThat(rights("credit_account")).containsExactly("DELETE", "INSERT", "SELECT", "UPDATE");
    assertThat(rights("flyway_schema_history")).containsExactly("SELECT");
  }

  @Test
  void theApplicationMayReadEveryView() {
    List<String> views =
        jdbc.queryForList(
            "select oid::regclass::text from pg_class"
                + " where relkind = 'v' and relnamespace = current_schema()::regnamespace",
            String.class);
    assertThat(views).contains("current_charge", "current_report");
    for (String view : views) {
      assertThat(rights(view)).as(view).containsExactly("SELECT");
    }
  }

  private List<String> rights(String table) {
    return jdbc.queryForList(
        """
        select privilege_type from pg_class c, aclexplode(c.relacl) a
          where c.oid = ?::regclass and a.grantee = current_user::regrole
        union select privilege_type || '(' || attname || ')' from pg_attribute t, aclexplode(t.attacl) a
          where t.attrelid = ?::regclass and a.grantee = current_user::regrole order by 1
        """,
        String.class,
        table,
        table);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "update posting set amount_microdenarii = 6",
        "delete from ledger_transaction",
        "truncate charge cascade",
        "update charging_interval set account = 'x'",
        "alter table posting disable trigger user",
        "drop trigger posting_rows_stay on posting",
        "create table of_my_own (n int)",
        "set role danum"
      })
  void theApplicationIsRefusedWhatWouldChangePostedRows(String statement) {
    assertThatThrownBy(() -> jdbc.execute(statement))
        .isInstanceOf(DataAccessException.class)
        .rootCause()
        .hasMessageMatching("(?s).*(permission denied|must be owner).*");
  }

  @Test
  void aDatabaseOfOneRoleGetsTheSecondAtItsNextStart() throws Exception {
    try (EmbeddedDatabase before = start();
        HikariDataSource pool =
            Migrations.open(DatabaseAccess.oneRole(before.access().owner()), 2)) {
      new JdbcTemplate(pool)
          .update("insert into ledger_account values ('USER:alice', 'USER', now())");
      asSuperuser(before, "drop role danum_application");
    }
    try (EmbeddedDatabase after = start();
        HikariDataSource pool = Migrations.open(after.access(), 2)) {
      JdbcTemplate application = new JdbcTemplate(pool);
      assertThat(application.queryForObject("select current_user", String.class))
          .isEqualTo("danum_application");
      application.update("insert into ledger_account values ('USER:bob', 'USER', now())");
      assertThatThrownBy(() -> application.update("delete from ledger_account"))
          .rootCause()
          .hasMessageContaining("permission denied");
    }
  }

  @Test
  void anInstallationOfOneRoleStartsWithAWarning() throws Exception {
    try (EmbeddedDatabase database = start()) {
      DatabaseAddress owner = database.access().owner();
      assertThat(warnings(DatabaseAccess.oneRole(owner)))
          .singleElement()
          .asString()
          .startsWith("the database role 'danum' owns the ledger's tables");
      assertThat(warnings(database.access())).isEmpty();
    }
  }

  private static List<String> warnings(DatabaseAccess access) {
    Logger log = (Logger) LoggerFactory.getLogger(Migrations.class);
    ListAppender<ILoggingEvent> events = new ListAppender<>();
    events.start();
    log.addAppender(events);
    try {
      Migrations.open(access, 2).close();
    } finally {
      log.detachAppender(events);
    }
    return events.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  private EmbeddedDatabase start() throws Exception {
    return EmbeddedDatabase.start(home, SharedDatabase.BINARIES, EmbeddedDatabase.Durability.FAST);
  }

  private static void asSuperuser(EmbeddedDatabase database, String sql) throws SQLException {
    DatabaseAddress owner = database.access().owner();
    try (Connection connection =
            DriverManager.getConnection(owner.url(), "postgres", owner.password());
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
