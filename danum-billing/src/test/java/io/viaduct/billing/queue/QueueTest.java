package io.viaduct.billing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.mediation.Reports;
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
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A real broker with topics of each test's own, and billing that reads reports from them. The test
/// itself is the bridge.
@Timeout(300)
abstract class QueueTest {
  /// Charge of the worked example, in micro-denarii.
  static final long PRICE = 13_510_279 + 22_030_879 - 1_192_500;

  /// Partitions of the topic of reports.
  static final int PARTITIONS = 6;

  /// Time after which the partitions of an instance that was killed go to others.
  static final Duration TAKE_OVER = Duration.ofSeconds(2);

  private static final String KAFKA =
      """
      kafka:
        broker: {bootstrap: ["%s"], security: plaintext}
        reports: %s
        verdicts: %s
        charges: %s
        group: %s
        batch: 8
        deadline: 2s
        take-over: %ds
      """;

  @TempDir private static Path brokerFolder;
  static TestBroker broker;
  private static int topics;

  @TempDir Path folder;
  final ManualClock clock = new ManualClock();
  final List<RunningBilling> instances = new ArrayList<>();
  final String account = "queue-" + UUID.randomUUID().toString().substring(0, 8);
  private int started;
  String reports;
  String verdicts;
  String charges;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = TestBroker.start(brokerFolder.resolve("kafka"));
  }

  @AfterAll
  static void stopBroker() throws Exception {
    broker.close();
  }

  @BeforeEach
  void topics() throws Exception {
    broker.restartIfKilled();
    topics++;
    reports = "reports-" + topics;
    verdicts = "verdicts-" + topics;
    charges = "charges-" + topics;
    broker.create(reports, PARTITIONS);
    broker.create(verdicts, 2);
    broker.create(charges, 2);
  }

  @AfterEach
  void stop() {
    instances.forEach(RunningBilling::close);
  }

  RunningBilling start() throws Exception {
    RunningBilling billing =
        RunningBilling.start(
            Files.createDirectory(folder.resolve("billing-" + started++)),
            clock,
            KAFKA.formatted(
                broker.address(), reports, verdicts, charges, group(), TAKE_OVER.toSeconds()));
    instances.add(billing);
    return billing;
  }

  /// Returns the name of the group that reads the reports.
  String group() {
    return "group-" + topics;
  }

  RunningBilling withoutBroker() throws Exception {
    RunningBilling billing =
        RunningBilling.start(Files.createDirectory(folder.resolve("other")), clock);
    instances.add(billing);
    return billing;
  }

  /// Opens accounts, two for each partition of the topic of reports.
  List<String> openAccountsOfEachPartition(RunningBilling billing) throws Exception {
    String operator = billing.operator();
    List<String> accounts = new ArrayList<>();
    int[] inPartition = new int[PARTITIONS];
    for (int i = 0; accounts.size() < 2 * PARTITIONS; i++) {
      String id = account + "-" + i;
      int partition =
          BuiltInPartitioner.partitionForKey(id.getBytes(StandardCharsets.UTF_8), PARTITIONS);
      if (inPartition[partition] < 2) {
        inPartition[partition]++;
        billing.openAccount(operator, id);
        accounts.add(id);
      }
    }
    return accounts;
  }

  QueuedReport queued(String session, long sequence, String payer) {
    return Reports.queued(session, sequence, payer, clock.instant());
  }

  void write(QueuedReport report, String payer) throws Exception {
    broker.write(reports, payer.getBytes(StandardCharsets.UTF_8), report.toByteArray());
  }

  List<ReportVerdict> verdicts() throws Exception {
    List<ReportVerdict> all = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : broker.read(verdicts)) {
      assertThat(new String(record.key(), StandardCharsets.UTF_8)).isEqualTo("snapt-acme");
      all.add(ReportAck.parseFrom(record.value()).getVerdict());
    }
    return all;
  }

  static long balance(String of) {
    return SharedDatabase.client()
        .sql("select balance_microdenarii from credit_account where account = ?")
        .param(of)
        .query(Long.class)
        .single();
  }
}
