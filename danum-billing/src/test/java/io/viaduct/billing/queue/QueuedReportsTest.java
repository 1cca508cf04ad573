package io.viaduct.billing.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.configuration.KafkaSettings;
import io.viaduct.billing.mediation.BridgeClocks;
import io.viaduct.billing.mediation.ReportIntake;
import io.viaduct.service.broker.BrokerSettings;
import io.viaduct.usage.v1.QueuedReport;
import io.viaduct.usage.v1.ReportVerdict;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// Billing reads reports from a real broker and posts them in a real PostgreSQL.
class QueuedReportsTest extends QueueTest {
  private void awaitVerdicts(ReportVerdict... expected) {
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(verdicts()).containsExactlyInAnyOrder(expected));
  }

  private static double meter(RunningBilling billing, String name, String... tags) {
    MeterRegistry registry = billing.parts.getBean(MeterRegistry.class);
    var found = registry.get(name).tags(tags);
    return name.endsWith("records") || name.endsWith("repeated")
        ? found.counter().count()
        : found.gauge().value();
  }

  @Test
  void aQueuedReportIsPostedOnceHoweverOftenItIsWritten() throws Exception {
    RunningBilling billing = start();
    billing.openAccount(billing.operator(), account);
    String session = UUID.randomUUID().toString();
    for (int i = 0; i < 3; i++) {
      write(queued(session, 0, account), account);
    }
    awaitVerdicts(ReportVerdict.POSTED, ReportVerdict.ALREADY_POSTED, ReportVerdict.ALREADY_POSTED);
    assertThat(balance(account)).isEqualTo(-PRICE);
  }

  @Test
  void theTimeAtTheBridgeCountsHoweverLongAReportHasWaited() throws Exception {
    RunningBilling other = withoutBroker();
    other.openAccount(other.operator(), account);
    write(queued(UUID.randomUUID().toString(), 0, account), account);
    clock.advance(Duration.ofDays(3)); // beyond adjustment-time
    start();
    awaitVerdicts(ReportVerdict.POSTED);
    assertThat(balance(account)).isEqualTo(-PRICE);
  }

  @Test
  void aReportFromTheFutureIsDeferredAndOthersOfItsBatchArePosted() throws Exception {
    RunningBilling other = withoutBroker();
    other.openAccount(other.operator(), account);
    String session = UUID.randomUUID().toString();
    QueuedReport ahead = queued(session, 1, account);
    long byBridge = clock.millis() + Duration.ofHours(1).toMillis();
    write(queued(session, 0, account), account);
    write(ahead.toBuilder().setReceivedMs(byBridge).build(), account);
    write(queued(session, 2, account), account);
    start();
    awaitVerdicts(ReportVerdict.POSTED, ReportVerdict.DEFERRED, ReportVerdict.POSTED);
    assertThat(balance(account)).isEqualTo(-2 * PRICE);
  }

  @Test
  void recordsThatAreNoReportsAreCountedAndDoNotHoldUpTheirPartition() throws Exception {
    RunningBilling billing = start();
    billing.openAccount(billing.operator(), account);
    byte[] key = account.getBytes(StandardCharsets.UTF_8);
    broker.write(reports, key, new byte[] {(byte) 0xff, 1});
    broker.write(reports, key, null);
    broker.write(reports, key, new byte[0]);
    QueuedReport forged = queued(UUID.randomUUID().toString(), 0, account);
    broker.write(
        reports,
        key,
        forged.toBuilder()
            .setReport(forged.getReport().toBuilder().clearToken())
            .build()
            .toByteArray());
    write(queued(UUID.randomUUID().toString(), 0, account), account);
    awaitVerdicts(ReportVerdict.HELD, ReportVerdict.POSTED);
    assertThat(meter(billing, "viaduct_queue_records", "outcome", "malformed")).isEqualTo(1);
    assertThat(meter(billing, "viaduct_queue_records", "outcome", "empty")).isEqualTo(2);
    assertThat(meter(billing, "viaduct_queue_records", "outcome", "taken")).isEqualTo(2);
  }

  @Test
  void threeInstancesShareThePartitionsAndTakeThoseOfOneThatEnds() throws Exception {
    for (int i = 0; i < 3; i++) {
      start();
    }
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() ->
            instances.stream().allMatch(each -> meter(each, "viaduct_queue_partitions") == 2));
    List<String> accounts = openAccountsOfEachPartition(instances.getFirst());
    Map<String, String> sessions = new HashMap<>();
    for (int sequence = 0; sequence < 2; sequence++) {
      for (String payer : accounts) {
        String session = sessions.computeIfAbsent(payer, _ -> UUID.randomUUID().toString());
        write(queued(session, sequence, payer), payer);
      }
      if (sequence == 0) {
        await().atMost(Duration.ofSeconds(60)).until(() -> verdicts().size() == 12);
        assertThat(instances)
            .extracting(each -> meter(each, "viaduct_queue_records", "outcome", "taken"))
            .as("records of each instance: those of its two partitions")
            .containsExactly(4.0, 4.0, 4.0);
        instances.removeLast().close();
      }
    }
    await().atMost(Duration.ofSeconds(60)).until(() -> verdicts().size() == 24);
    assertThat(verdicts()).containsOnly(ReportVerdict.POSTED);
    assertThat(accounts).allSatisfy(payer -> assertThat(balance(payer)).isEqualTo(-2 * PRICE));
    assertThat(instances)
        .extracting(each -> meter(each, "viaduct_queue_partitions"))
        .containsExactly(3.0, 3.0);
  }

  @Test
  void anInstanceThatDiesBetweenTheLedgersCommitAndTheOffsetsLosesAndDoublesNothing()
      throws Exception {
    RunningBilling other = withoutBroker();
    other.openAccount(other.operator(), account);
    KafkaSettings settings = settings(broker.address());
    Map<String, Object> here = settings.broker().properties(null);
    // Its verdicts go nowhere, so it never comes to the offsets.
    Map<String, Object> nowhere = settings("127.0.0.1:1").broker().properties(null);
    SimpleMeterRegistry meters = new SimpleMeterRegistry();
    QueueMeters queue = new QueueMeters(meters);
    QueuedReports intake =
        new QueuedReports(
            other.parts.getBean(ReportIntake.class),
            clock,
            other.parts.getBean(BridgeClocks.class),
            queue);
    write(queued(UUID.randomUUID().toString(), 0, account), account);
    try (ReportConsumer dying =
        ReportConsumer.start(
            settings, here, intake, new RecordWriter(nowhere, Duration.ofSeconds(1)), queue)) {
      await().atMost(Duration.ofSeconds(60)).until(() -> balance(account) == -PRICE);
    }
    assertThat(verdicts()).isEmpty();
    start();
    awaitVerdicts(ReportVerdict.ALREADY_POSTED);
    assertThat(balance(account)).isEqualTo(-PRICE);
  }

  private KafkaSettings settings(String address) {
    return new KafkaSettings(
        new BrokerSettings(List.of(address), BrokerSettings.Security.PLAINTEXT, "", ""),
        reports,
        verdicts,
        "",
        group(),
        256,
        4,
        Duration.ofSeconds(2),
        Duration.ofSeconds(2));
  }

  @Test
  void billingGoesOnByItselfWhenTheBrokerIsBack() throws Exception {
    RunningBilling billing = start();
    billing.openAccount(billing.operator(), account);
    String session = UUID.randomUUID().toString();
    write(queued(session, 0, account), account);
    awaitVerdicts(ReportVerdict.POSTED);
    broker.kill();
    broker.restart();
    write(queued(session, 1, account), account);
    await().atMost(Duration.ofSeconds(90)).until(() -> balance(account) == -2 * PRICE);
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> new HashSet<>(verdicts()).contains(ReportVerdict.POSTED));
  }
}
