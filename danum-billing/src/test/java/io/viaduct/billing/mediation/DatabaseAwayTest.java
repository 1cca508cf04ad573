package io.viaduct.billing.mediation;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.billing.ManualClock;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.database.EmbeddedDatabase;
import io.viaduct.billing.database.Migrations;
import io.viaduct.billing.database.Snapshot;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerAccount;
import io.viaduct.billing.ledger.LedgerVerification;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SubmitRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;

@Timeout(120)
class DatabaseAwayTest {
  @TempDir Path home;

  private static MediationService mediation(HikariDataSource pool, ManualClock clock) {
    return IntakeOfPool.service(pool, clock, "alice");
  }

  private static ReportVerdict verdict(MediationService mediation, SubmitRequest request) {
    return mediation.submit(request).getAcks(0).getVerdict();
  }

  @Test
  void aReportIsDeferredWithoutTheDatabaseAndBilledOnceAfterwards() throws Exception {
    ManualClock clock = new ManualClock();
    SubmitRequest first =
        Reports.request(
            clock.instant(),
            List.of(
                Reports.report(
                        "snapt-1", "s", 1, 0, "alice", clock.instant(), Reports.workedExample())
                    .build()));
    SubmitRequest second =
        Reports.request(
            clock.instant(),
            List.of(
                Reports.report(
                        "snapt-1", "s", 1, 1, "alice", clock.instant(), Reports.workedExample())
                    .build()));
    EmbeddedDatabase database =
        EmbeddedDatabase.start(home, SharedDatabase.BINARIES, EmbeddedDatabase.Durability.FAST);
    try (HikariDataSource pool = Migrations.open(database.access(), 2)) {
      MediationService mediation = mediation(pool, clock);
      assertThat(verdict(mediation, first)).isEqualTo(ReportVerdict.POSTED);
      database.close();
      assertThat(verdict(mediation, first)).isEqualTo(ReportVerdict.DEFERRED);
      assertThat(verdict(mediation, second)).isEqualTo(ReportVerdict.DEFERRED);
    } finally {
      database.close();
    }
    try (EmbeddedDatabase again =
            EmbeddedDatabase.start(
                home, SharedDatabase.BINARIES, EmbeddedDatabase.Durability.FAST);
        HikariDataSource pool = Migrations.open(again.access(), 2)) {
      MediationService mediation = mediation(pool, clock);
      assertThat(verdict(mediation, first)).isEqualTo(ReportVerdict.ALREADY_POSTED);
      assertThat(verdict(mediation, second)).isEqualTo(ReportVerdict.POSTED);
      assertThat(new Ledger(new JdbcTemplate(pool)).balance(LedgerAccount.user("alice")).value())
          .isEqualTo(-34_348_658L * 2);
    }
  }

  @Test
  void aKilledPostmasterIsRestartedAndEveryReportIsBilledOnce() throws Exception {
    ManualClock clock = new ManualClock();
    SimpleMeterRegistry meters = new SimpleMeterRegistry();
    try (EmbeddedDatabase database =
            EmbeddedDatabase.start(
                home, SharedDatabase.BINARIES, EmbeddedDatabase.Durability.DURABLE);
        HikariDataSource pool = Migrations.open(database.access(), 2)) {
      database.supervise(meters);
      MediationService mediation = mediation(pool, clock);
      int reports = 6;
      for (int sequence = 0; sequence < reports; sequence++) {
        SubmitRequest request =
            Reports.request(
                clock.instant(),
                List.of(
                    Reports.report(
                            "snapt-1",
                            "s",
                            1,
                            sequence,
                            "alice",
                            clock.instant(),
                            Reports.workedExample())
                        .build()));
        if (sequence % 2 == 1) {
          kill(home);
        }
        // Like the SNAPT, sends again until billing answers with a final verdict.
        Awaitility.await()
            .atMost(Duration.ofSeconds(30))
            .until(() -> verdict(mediation, request), v -> v != ReportVerdict.DEFERRED);
        assertThat(verdict(mediation, request)).isEqualTo(ReportVerdict.ALREADY_POSTED);
      }
      assertThat(meters.counter("viaduct_database_restarts", "outcome", "started").count())
          .isEqualTo(3);
      JdbcTemplate jdbc = new JdbcTemplate(pool);
      assertThat(new Ledger(jdbc).balance(LedgerAccount.user("alice")).value())
          .isEqualTo(-34_348_658L * reports);
      assertThat(
              new LedgerVerification(
                      JdbcClient.create(jdbc), new Snapshot(new JdbcTransactionManager(pool)))
                  .run())
          .allMatch(LedgerVerification.Check::holds);
    }
    assertThat(Path.of(home.toString(), "cluster", "postmaster.pid")).doesNotExist();
  }

  private static void kill(Path home) throws Exception {
    long pid =
        Long.parseLong(
            Files.readAllLines(home.resolve("cluster/postmaster.pid")).getFirst().strip());
    new ProcessBuilder("kill", "-KILL", Long.toString(pid)).inheritIO().start().waitFor();
  }
}
