package io.viaduct.billing.mediation;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.billing.ManualClock;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.Passwords;
import io.viaduct.billing.account.Role;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.settlement.DeviceReports;
import io.viaduct.billing.settlement.ReportPosting;
import io.viaduct.billing.settlement.SettlementRules;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.billing.tariff.SurchargeBook;
import io.viaduct.billing.tariff.TariffBook;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/// The intake of reports on a database of a test, which may take it away.
public final class IntakeOfPool {
  private IntakeOfPool() {}

  /// Stores the first tariff and an account, and returns the intake.
  public static ReportIntake open(HikariDataSource pool, ManualClock clock, String account) {
    JdbcTemplate jdbc = new JdbcTemplate(pool);
    TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
    Ledger ledger = new Ledger(jdbc);
    TariffBook tariffs = new TariffBook(JdbcClient.create(jdbc), transaction);
    tariffs.storeInitial(SeedTariff.read(), clock.instant());
    new Accounts(JdbcClient.create(jdbc), transaction, ledger, new Passwords(2))
        .open(account, "password", Role.USER, account, clock.instant());
    return new ReportIntake(
        new ReportPosting(
            transaction,
            jdbc,
            tariffs,
            new SurchargeBook(JdbcClient.create(jdbc), transaction),
            ledger,
            new SettlementRules(
                MediationRig.GRACE, MediationRig.ADJUSTMENT, _ -> "owner", MediationRig.BOUNDS)),
        new SeenTokenKeys(JdbcClient.create(jdbc)),
        MediationRig.PROOFS,
        new RefusedReports(jdbc),
        (_, _) -> {},
        clock,
        new SimpleMeterRegistry());
  }

  /// Returns the service for reports of SNAPTs and devices.
  static MediationService service(HikariDataSource pool, ManualClock clock, String account) {
    return new MediationService(
        open(pool, clock, account),
        devices(pool, clock),
        new BridgeClocks(clock, new SimpleMeterRegistry()));
  }

  private static DeviceReportIntake devices(HikariDataSource pool, ManualClock clock) {
    JdbcClient jdbc = JdbcClient.create(pool);
    TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
    return new DeviceReportIntake(
        new DeviceReports(
            transaction,
            jdbc,
            new TariffBook(jdbc, transaction),
            new SurchargeBook(jdbc, transaction),
            _ -> "owner",
            MediationRig.ADJUSTMENT),
        new SeenTokenKeys(jdbc),
        MediationRig.PROOFS,
        clock,
        new SimpleMeterRegistry());
  }
}
