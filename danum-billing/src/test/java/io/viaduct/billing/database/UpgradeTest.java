package io.viaduct.billing.database;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.ledger.LedgerVerification;
import io.viaduct.billing.rating.RatedReport;
import io.viaduct.billing.settlement.ChargedReport;
import io.viaduct.billing.settlement.ChargedReports;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.Terms;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/// A database of an earlier version, with a tariff and a charge, is opened by this version.
@Timeout(120)
class UpgradeTest {
  private static void storeOneCharge(JdbcClient jdbc) {
    jdbc.sql(
            """
            insert into account (id, display_name, role, password_hash, created_at) values ('alice', '', 'user', 'x', now());
            insert into ledger_account values ('USER:alice', 'USER', now());
            insert into tariff values (1, 'epoch', '%s', 'installation', now());
            insert into relay_session values ('snapt-1', 's', 1);
            insert into charging_interval values (1, 'snapt-1', 's', 1, 0, 'alice', 'acme', '', 'token',
              '2026-01-01 00:00:00Z', '2026-01-01 00:01:00Z', '2026-01-01 00:01:01Z', '2026-01-01 00:11:00Z', 'GOOD', 1, 'CORRECTED');
            insert into snapt_report values (1, sha256('x'), 'x', 'x', 'key', true, 2550000, 1020000, 0, 13510279, 765000, null);
            insert into charge (id, interval_id, flow, account, started_at, application, service_class, protocol, remote_address,
              remote_port, pre_bytes, post_bytes, saved_bytes, duration_ms, throughput, delay_ms, delay_source, loss,
              utility_per_second, price_per_unit, units, charge_microdenarii, discount_microdenarii)
            values (1, 1, 1, 'alice', '2026-01-01 00:00:00Z', 'skype-video', 'HT_LD', 17, '192.0.2.1', 5000, 2550000, 1020000,
              1530000, 60000, 340, 140, 'MEASURED', 0, 0.9, 0.0006622686, 20400, 13510279, 765000);
            insert into ledger_transaction values (1, 'CORRECTION', 'report:1', 4, 1, now(), '');
            insert into posting values (1, 1, 'USER:alice', -13510279), (1, 2, 'CLEARING', 13510279),
              (1, 3, 'OPERATOR:DISCOUNT', -765000), (1, 4, 'USER:alice', 765000);
            """
                .formatted(SeedTariff.document()))
        .update();
  }

  /// The schema of the first release with today's charges, and of the one before monthly
  /// partitions.
  @ParameterizedTest
  @ValueSource(strings = {"8", "94"})
  void aChargeOfAnEarlierVersionCostsTheSameUnderItsTariff(String version) {
    DatabaseAccess access = SharedDatabase.separate("upgrade_of_" + version);
    DatabaseAddress address = access.owner();
    Flyway.configure()
        .dataSource(address.url(), address.user(), address.password())
        .initSql("set viaduct.application = '" + access.application().user() + "'")
        .locations("classpath:db/migration")
        .target(version)
        .load()
        .migrate();
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(address.url());
      pool.setUsername(address.user());
      pool.setPassword(address.password());
      new TransactionTemplate(new JdbcTransactionManager(pool))
          .executeWithoutResult(_ -> storeOneCharge(JdbcClient.create(pool)));
    }
    try (HikariDataSource pool = Migrations.open(access, 2)) {
      JdbcClient jdbc = JdbcClient.create(pool);
      JdbcTransactionManager transactions = new JdbcTransactionManager(pool);
      assertThat(new LedgerVerification(jdbc, new Snapshot(transactions)).run())
          .allMatch(LedgerVerification.Check::holds);
      Tariff tariff =
          new TariffBook(jdbc, new TransactionTemplate(transactions))
              .versions()
              .getFirst()
              .tariff();
      ChargedReport report = new ChargedReports(jdbc).find(1).orElseThrow();
      RatedReport again = RatedReport.of(report.measures(), report.intervalMs(), Terms.of(tariff));
      assertThat(again.lines()).isEqualTo(report.posted());
      assertThat(report.posted().net().value()).isEqualTo(13_510_279 - 765_000);
      isInTheNewTables(jdbc);
    }
  }

  private static void isInTheNewTables(JdbcClient jdbc) {
    assertThat(one(jdbc, "select tableoid::regclass::text from charge")).isEqualTo("charge_before");
    assertThat(one(jdbc, "select remote_address from flow_peer")).isEqualTo("192.0.2.1");
    assertThat(one(jdbc, "select encode(content, 'escape') from report_original")).isEqualTo("x");
    assertThat(one(jdbc, "select interval_id::text from interval_key")).isEqualTo("1");
    assertThat(one(jdbc, "select transaction_id::text from ledger_identity")).isEqualTo("1");
    assertThat(one(jdbc, "select count(*)::text from billing_month where number > 0"))
        .as("the present month and three to come")
        .isEqualTo("4");
  }

  private static String one(JdbcClient jdbc, String sql) {
    return jdbc.sql(sql).query(String.class).single();
  }
}
