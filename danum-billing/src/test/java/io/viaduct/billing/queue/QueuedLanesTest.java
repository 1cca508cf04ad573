package io.viaduct.billing.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.configuration.KafkaSettings;
import io.viaduct.billing.mediation.BridgeClocks;
import io.viaduct.billing.mediation.ReportIntake;
import io.viaduct.billing.mediation.Reports;
import io.viaduct.service.broker.BrokerSettings;
import io.viaduct.service.broker.TestBroker;
import io.viaduct.usage.v1.QueuedReport;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/// Lanes of one billing on a real broker and PostgreSQL, while the credit of one account is locked
/// by somebody else: its lane waits in the database.
@Timeout(240)
class QueuedLanesTest {
  /// Charge of the worked example, in micro-denarii.
  private static final long PRICE = 13_510_279 + 22_030_879 - 1_192_500;

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final TopicPartition PARTITION = new TopicPartition("reports", 0);

  @TempDir private Path folder;
  private final ManualClock clock = new ManualClock();
  private final String slow = "slow-" + UUID.randomUUID().toString().substring(0, 8);
  private final String other = "other-" + UUID.randomUUID().toString().substring(0, 8);
  private TestBroker broker;
  private RunningBilling billing;

  @BeforeEach
  void start() throws Exception {
    broker = TestBroker.start(folder.resolve("kafka"));
    broker.create("reports", 1);
    broker.create("verdicts", 1);
    billing = RunningBilling.start(folder, clock);
    billing.openAccount(billing.operator(), slow);
    billing.openAccount(billing.operator(), other);
  }

  @AfterEach
  void stop() throws Exception {
    billing.close();
    broker.close();
  }

  private ReportConsumer consumer() {
    KafkaSettings settings =
        new KafkaSettings(
            new BrokerSettings(
                List.of(broker.address()), BrokerSettings.Security.PLAINTEXT, "", ""),
            "reports",
            "verdicts",
            "",
            "group",
            1,
            4,
            Duration.ofSeconds(5),
            Duration.ofSeconds(10));
    Map<String, Object> connection = settings.broker().properties(null);
    QueueMeters meters = new QueueMeters(new SimpleMeterRegistry());
    return ReportConsumer.start(
        settings,
        connection,
        new QueuedReports(
            billing.parts.getBean(ReportIntake.class),
            clock,
            billing.parts.getBean(BridgeClocks.class),
            meters),
        new RecordWriter(connection, settings.deadline()),
        meters);
  }

  private void write(String session, long sequence, String payer) throws Exception {
    QueuedReport queued = Reports.queued(session, sequence, payer, clock.instant());
    broker.write("reports", payer.getBytes(StandardCharsets.UTF_8), queued.toByteArray());
  }

  private long committed() throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.address()))) {
      OffsetAndMetadata offset =
          admin
              .listConsumerGroupOffsets("group")
              .partitionsToOffsetAndMetadata()
              .get()
              .get(PARTITION);
      return offset == null ? 0 : offset.offset();
    }
  }

  /// Returns the verdicts of each session, in the order of the topic.
  private Map<String, List<ReportVerdict>> verdicts() throws Exception {
    Map<String, List<ReportVerdict>> all = new HashMap<>();
    for (var record : broker.read("verdicts")) {
      ReportAck ack = ReportAck.parseFrom(record.value());
      all.computeIfAbsent(ack.getSessionId(), _ -> new ArrayList<>()).add(ack.getVerdict());
    }
    return all;
  }

  private static long balance(String of) {
    return SharedDatabase.client()
        .sql("select balance_microdenarii from credit_account where account = ?")
        .param(of)
        .query(Long.class)
        .single();
  }

  /// Locks the account's row until the connection is rolled back.
  private static JdbcClient lock(Connection connection, String account) throws Exception {
    connection.setAutoCommit(false);
    JdbcClient locking = JdbcClient.create(new SingleConnectionDataSource(connection, true));
    locking
        .sql("select id from account where id = ? for update")
        .param(account)
        .query(String.class)
        .single();
    return locking;
  }

  @Test
  void anAccountIsPostedWhileAnotherOneWaitsAndOffsetsWaitForBoth() throws Exception {
    try (Connection connection = SharedDatabase.jdbc().getDataSource().getConnection()) {
      lock(connection, slow);
      write(slow, 0, slow);
      write(other, 0, other);
      write(slow, 1, slow);
      try (ReportConsumer consumer = consumer()) {
        await().atMost(PATIENCE).until(() -> balance(other) == -PRICE);
        await().atMost(PATIENCE).until(() -> verdicts().size() == 1);
        assertThat(verdicts()).containsOnlyKeys(other);
        assertThat(committed()).isZero();
        connection.rollback();
        await().atMost(PATIENCE).until(() -> committed() == 3);
        assertThat(consumer).isNotNull();
      }
    }
    assertThat(balance(slow)).isEqualTo(-2 * PRICE);
    assertThat(balance(other)).isEqualTo(-PRICE);
    assertThat(verdicts())
        .containsEntry(slow, List.of(ReportVerdict.POSTED, ReportVerdict.POSTED))
        .containsEntry(other, List.of(ReportVerdict.POSTED));
  }

  @Test
  void aLaneThatLosesItsConnectionLosesAndDoublesNothing() throws Exception {
    String before = "before-" + other;
    try (Connection connection = SharedDatabase.jdbc().getDataSource().getConnection()) {
      JdbcClient locking = lock(connection, slow);
      write(before, 0, other);
      write(slow, 0, slow);
      write(other, 0, other);
      try (ReportConsumer consumer = consumer()) {
        await().atMost(PATIENCE).until(() -> balance(other) == -2 * PRICE);
        await().atMost(PATIENCE).until(() -> terminateWaiting(locking));
        await().atMost(PATIENCE).until(() -> committed() == 1);
        connection.rollback();
        await().atMost(PATIENCE).until(() -> committed() == 3);
        assertThat(consumer).isNotNull();
      }
    }
    assertThat(balance(slow)).isEqualTo(-PRICE);
    assertThat(balance(other)).isEqualTo(-2 * PRICE);
    assertThat(verdicts())
        .containsEntry(before, List.of(ReportVerdict.POSTED))
        .containsEntry(slow, List.of(ReportVerdict.POSTED))
        .hasEntrySatisfying(
            other,
            each ->
                assertThat(each)
                    .startsWith(ReportVerdict.POSTED)
                    .containsOnlyOnce(ReportVerdict.POSTED));
  }

  /// Ends the connection that waits for the lock.
  private static boolean terminateWaiting(JdbcClient locking) {
    int own = locking.sql("select pg_backend_pid()").query(Integer.class).single();
    return SharedDatabase.client()
        .sql(
            "select pg_terminate_backend(pid) from pg_stat_activity where ? = any(pg_blocking_pids(pid))")
        .param(own)
        .query(Boolean.class)
        .list()
        .contains(true);
  }
}
