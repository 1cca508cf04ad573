package io.viaduct.billing.mediation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariDataSource;
import io.viaduct.billing.ManualClock;
import io.viaduct.billing.database.InstalledPostgres;
import io.viaduct.billing.database.Migrations;
import io.viaduct.billing.database.Snapshot;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerAccount;
import io.viaduct.billing.ledger.LedgerVerification;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SubmitRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;

/// Billing on a PostgreSQL that the operator runs: an older release with its client programs, two
/// roles without further rights, a backup, and a standby that takes over.
@Timeout(300)
class InstalledPostgresTest {
  private static final long CHARGED = 34_348_658; // by each report of the worked example

  @TempDir private Path home;
  private Path programs = Path.of("");
  private final ManualClock clock = new ManualClock();

  @BeforeEach
  void findPrograms() {
    Optional<Path> found = InstalledPostgres.programs();
    assumeTrue(found.isPresent(), "needs an installed PostgreSQL: initdb and pg_basebackup");
    programs = found.orElseThrow();
  }

  private SubmitRequest report(int sequence) {
    return Reports.request(
        clock.instant(),
        List.of(
            Reports.report(
                    "snapt-1", "s", 1, sequence, "alice", clock.instant(), Reports.workedExample())
                .build()));
  }

  private static ReportVerdict verdict(MediationService mediation, SubmitRequest request) {
    return mediation.submit(request).getAcksList().stream()
        .map(ReportAck::getVerdict)
        .findFirst()
        .orElseThrow();
  }

  private static long balance(HikariDataSource pool) {
    return new Ledger(new JdbcTemplate(pool)).balance(LedgerAccount.user("alice")).value();
  }

  private static void verify(HikariDataSource pool) {
    assertThat(
            new LedgerVerification(
                    JdbcClient.create(pool), new Snapshot(new JdbcTransactionManager(pool)))
                .run())
        .allMatch(LedgerVerification.Check::holds);
  }

  @Test
  void aRestoredBackupHasTheSameLedgerAndBillingGoesOnWithIt() throws Exception {
    try (InstalledPostgres server = InstalledPostgres.create(programs, home.resolve("data"))) {
      server.makeRoles();
      server.execute("create database viaduct owner viaduct_owner");
      try (HikariDataSource pool =
          Migrations.open(InstalledPostgres.access("viaduct", server), 2)) {
        MediationService mediation = IntakeOfPool.service(pool, clock, "alice");
        for (int sequence = 0; sequence < 3; sequence++) {
          assertThat(verdict(mediation, report(sequence))).isEqualTo(ReportVerdict.POSTED);
        }
        server.client("pg_dump", "--format=custom", "--file=" + home.resolve("backup"), "viaduct");
        assertThat(verdict(mediation, report(3))).isEqualTo(ReportVerdict.POSTED);
      }
      server.execute("create database restored owner viaduct_owner");
      server.client(
          "pg_restore", "--exit-on-error", "--dbname=restored", home.resolve("backup").toString());
      try (HikariDataSource pool =
          Migrations.open(InstalledPostgres.access("restored", server), 2)) {
        verify(pool);
        assertThat(balance(pool)).isEqualTo(-3 * CHARGED);
        // The SNAPT sends what it has no answer for; a copy of what the backup has is posted once.
        MediationService mediation = IntakeOfPool.service(pool, clock, "alice");
        assertThat(verdict(mediation, report(2))).isEqualTo(ReportVerdict.ALREADY_POSTED);
        assertThat(verdict(mediation, report(3))).isEqualTo(ReportVerdict.POSTED);
        assertThat(balance(pool)).isEqualTo(-4 * CHARGED);
        verify(pool);
      }
    }
  }

  @Test
  void aStandbyTakesOverWithoutALostOrADoubleCharge() throws Exception {
    Path standbyData = home.resolve("standby");
    InstalledPostgres first = InstalledPostgres.create(programs, home.resolve("first"));
    try {
      first.makeRoles();
      first.execute("create database viaduct owner viaduct_owner");
      first.client(
          "pg_basebackup", "-D", standbyData.toString(), "--write-recovery-conf", "-c", "fast");
      try (InstalledPostgres standby = InstalledPostgres.start(programs, standbyData);
          HikariDataSource pool =
              Migrations.open(InstalledPostgres.access("viaduct", first, standby), 2)) {
        // From now on a commit is answered when the standby has it too.
        first.execute("alter system set synchronous_standby_names = '*'");
        first.execute("select pg_reload_conf()");
        MediationService mediation = IntakeOfPool.service(pool, clock, "alice");
        List<SubmitRequest> reports =
            List.of(report(0), report(1), report(2), report(3), report(4));
        for (SubmitRequest report : reports.subList(0, 3)) {
          assertThat(verdict(mediation, report)).isEqualTo(ReportVerdict.POSTED);
        }
        first.kill();
        assertThat(verdict(mediation, reports.get(3))).isEqualTo(ReportVerdict.DEFERRED);
        standby.execute("select pg_promote()");
        // Like the SNAPT, sends again until billing answers with a final verdict.
        Awaitility.await()
            .atMost(Duration.ofSeconds(60))
            .until(() -> verdict(mediation, reports.get(3)) == ReportVerdict.POSTED);
        for (SubmitRequest report : reports.subList(0, 4)) {
          assertThat(verdict(mediation, report)).isEqualTo(ReportVerdict.ALREADY_POSTED);
        }
        assertThat(verdict(mediation, reports.get(4))).isEqualTo(ReportVerdict.POSTED);
        assertThat(balance(pool)).isEqualTo(-reports.size() * CHARGED);
        verify(pool);
      }
    } finally {
      first.kill();
    }
  }
}
