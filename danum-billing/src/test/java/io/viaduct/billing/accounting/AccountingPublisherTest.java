package io.viaduct.billing.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.database.DatabaseAccess;
import io.viaduct.billing.mediation.Reports;
import io.viaduct.usage.v1.MediationGrpc;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.UsageReport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/// Records of posted reports when the process ends in the middle of a pass, or the store is nearly
/// full.
@Timeout(120)
class AccountingPublisherTest {
  private static final Duration SILENCE = Duration.ofHours(24);

  @TempDir Path folder;
  private final ManualClock clock = new ManualClock();
  private final List<PostedRecord> stored = new ArrayList<>();
  private RunningBilling billing;
  private ManagedChannel bridge;
  private DataSource database;

  @BeforeEach
  void start() throws Exception {
    DatabaseAccess access =
        SharedDatabase.separate("publisher_" + UUID.randomUUID().toString().replace("-", ""));
    billing = RunningBilling.start(folder, clock, access, "");
    bridge = billing.channel("ims-bridge");
    billing.openAccount(billing.operator(), "alice");
    database =
        new DriverManagerDataSource(
            access.application().url(),
            access.application().user(),
            access.application().password());
    AccountingPublisher.enable(JdbcClient.create(database), true);
  }

  @AfterEach
  void stop() {
    bridge.shutdownNow();
    billing.close();
  }

  private AccountingPublisher publisher(RecordStore store) {
    return new AccountingPublisher(
        new TransactionTemplate(new JdbcTransactionManager(database)),
        JdbcClient.create(database),
        SessionNaming.diameter("billing.ims.test"),
        store,
        SILENCE,
        new SimpleMeterRegistry());
  }

  private int keep(List<PostedRecord> records) {
    stored.addAll(records);
    return records.size();
  }

  private void report(String session, long sequence, boolean isLast) {
    UsageReport report =
        Reports.report(
                "snapt-rf", session, 1, sequence, "alice", clock.instant(), Reports.workedExample())
            .setLast(isLast)
            .build();
    assertThat(
            MediationGrpc.newBlockingStub(bridge)
                .submit(Reports.requestOf(clock.instant(), List.of(Reports.signed(report))))
                .getAcks(0)
                .getVerdict())
        .isEqualTo(ReportVerdict.POSTED);
    clock.advance(Duration.ofMinutes(1));
  }

  /// Returns the numbers of a session's records as they were stored.
  private List<Long> numbers(String session) {
    return stored.stream()
        .filter(record -> record.tunnelSession().equals(session))
        .map(PostedRecord::number)
        .toList();
  }

  private static List<Long> upTo(long last) {
    return LongStream.rangeClosed(0, last).boxed().toList();
  }

  @Test
  void aPassThatDiesAfterItsRecordsAreStoredBuildsTheSameRecordsAgain() {
    String one = UUID.randomUUID().toString();
    String other = UUID.randomUUID().toString();
    for (int sequence = 0; sequence < 3; sequence++) {
      report(one, sequence, sequence == 2);
      report(other, sequence, false);
    }
    AccountingPublisher dying =
        publisher(records -> {
          keep(records);
          throw new IllegalStateException("planted: the process ends here");
        });
    assertThatThrownBy(() -> dying.publish(clock.instant())).hasMessageContaining("planted");
    List<PostedRecord> before = List.copyOf(stored);
    stored.clear();
    publisher(this::keep).publish(clock.instant());
    assertThat(stored).as("the charging system knows them by session and number").isEqualTo(before);
    assertThat(numbers(one)).isEqualTo(upTo(3));
    assertThat(numbers(other)).isEqualTo(upTo(3));
    publisher(this::keep).publish(clock.instant());
    assertThat(stored).hasSameSizeAs(before);
  }

  @Test
  void aStoreThatTakesOnlySomeOfABatchGetsEachRecordOnce() {
    String session = UUID.randomUUID().toString();
    for (int sequence = 0; sequence < 5; sequence++) {
      report(session, sequence, sequence == 4);
    }
    AccountingPublisher publisher =
        publisher(records -> keep(records.subList(0, Math.min(2, records.size()))));
    for (int pass = 1; pass <= 3; pass++) {
      publisher.publish(clock.instant());
      assertThat(numbers(session)).isEqualTo(upTo(2L * pass - 1));
    }
    publisher.publish(clock.instant());
    assertThat(stored).hasSize(6);
  }

  @Test
  void recordsOfAPassGoToTheStoreInPortions() {
    String session = UUID.randomUUID().toString();
    List<Integer> portions = new ArrayList<>();
    for (int sequence = 0; sequence < 120; sequence++) {
      report(session, sequence, false);
    }
    publisher(
            records -> {
              portions.add(records.size());
              return keep(records);
            })
        .publish(clock.instant());
    assertThat(portions).containsExactly(100, 21);
    assertThat(numbers(session)).isEqualTo(upTo(120));
  }
}
