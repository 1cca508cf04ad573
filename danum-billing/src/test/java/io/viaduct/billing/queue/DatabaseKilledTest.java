package io.viaduct.billing.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.billing.ManualClock;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.configuration.KafkaSettings;
import io.viaduct.billing.database.EmbeddedDatabase;
import io.viaduct.billing.database.Migrations;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerAccount;
import io.viaduct.billing.mediation.BridgeClocks;
import io.viaduct.billing.mediation.IntakeOfPool;
import io.viaduct.billing.mediation.Reports;
import io.viaduct.service.broker.BrokerSettings;
import io.viaduct.service.broker.TestBroker;
import io.viaduct.usage.v1.QueuedReport;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;

/// A real PostgreSQL that is killed under the consumer of queued reports.
@Timeout(240)
class DatabaseKilledTest {
  private static final byte[] ALICE = "alice".getBytes(StandardCharsets.UTF_8);
  @TempDir private Path folder;

  @Test
  void reportsWaitForTheDatabaseAreNeverDeferredAndAreBilledOnce() throws Exception {
    ManualClock clock = new ManualClock();
    Path home = Files.createDirectory(folder.resolve("database"));
    QueueMeters meters = new QueueMeters(new SimpleMeterRegistry());
    try (TestBroker broker = TestBroker.start(folder.resolve("kafka"));
        EmbeddedDatabase database =
            EmbeddedDatabase.start(
                home, SharedDatabase.BINARIES, EmbeddedDatabase.Durability.DURABLE);
        HikariDataSource pool = Migrations.open(database.access(), 2)) {
      broker.create("reports", 1);
      broker.create("verdicts", 1);
      database.supervise(new SimpleMeterRegistry());
      KafkaSettings settings = settings(broker.address());
      Map<String, Object> connection = settings.broker().properties(null);
      QueuedReports reports =
          new QueuedReports(
              IntakeOfPool.open(pool, clock, "alice"),
              clock,
              new BridgeClocks(clock, new SimpleMeterRegistry()),
              meters);
      try (ReportConsumer consumer =
          ReportConsumer.start(
              settings,
              connection,
              reports,
              new RecordWriter(connection, settings.deadline()),
              meters)) {
        for (int sequence = 0; sequence < 6; sequence++) {
          broker.write("reports", ALICE, report(clock, sequence).toByteArray());
          if (sequence % 2 == 1) {
            kill(home);
          }
          int answered = sequence + 1;
          await().atMost(Duration.ofSeconds(60)).until(() -> verdicts(broker).size() >= answered);
        }
        assertThat(consumer).isNotNull();
      }
      assertThat(verdicts(broker))
          .contains(ReportVerdict.POSTED)
          .allMatch(each -> each == ReportVerdict.POSTED || each == ReportVerdict.ALREADY_POSTED);
      assertThat(new Ledger(new JdbcTemplate(pool)).balance(LedgerAccount.user("alice")).value())
          .isEqualTo(-34_348_658L * 6);
    }
  }

  private static QueuedReport report(ManualClock clock, int sequence) {
    return QueuedReport.newBuilder()
        .setReport(
            Reports.signed(
                Reports.report(
                        "snapt-1",
                        "s",
                        1,
                        sequence,
                        "alice",
                        clock.instant(),
                        Reports.workedExample())
                    .build()))
        .setReceivedMs(clock.millis())
        .addTokenKeys(Reports.PROVEN.tokenKey())
        .build();
  }

  private static List<ReportVerdict> verdicts(TestBroker broker) throws Exception {
    List<ReportVerdict> all = new ArrayList<>();
    for (var record : broker.read("verdicts")) {
      all.add(ReportAck.parseFrom(record.value()).getVerdict());
    }
    return all;
  }

  private static KafkaSettings settings(String address) {
    return new KafkaSettings(
        new BrokerSettings(List.of(address), BrokerSettings.Security.PLAINTEXT, "", ""),
        "reports",
        "verdicts",
        "",
        "group",
        256,
        4,
        Duration.ofSeconds(5),
        Duration.ofSeconds(10));
  }

  private static void kill(Path home) throws Exception {
    String pid = Files.readAllLines(home.resolve("cluster/postmaster.pid")).getFirst().strip();
    new ProcessBuilder("kill", "-KILL", pid).inheritIO().start().waitFor();
  }
}
