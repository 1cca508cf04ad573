package io.viaduct.billing.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.configuration.KafkaSettings;
import io.viaduct.billing.mediation.BridgeClocks;
import io.viaduct.billing.mediation.ReportIntake;
import io.viaduct.billing.mediation.Reports;
import io.viaduct.billing.rerating.ReratingOrder;
import io.viaduct.billing.rerating.Reratings;
import io.viaduct.billing.settlement.Evidence;
import io.viaduct.billing.settlement.UnsignedIntervals;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.service.broker.BrokerSettings;
import io.viaduct.service.broker.TestBroker;
import io.viaduct.usage.v1.ChargeState;
import io.viaduct.usage.v1.PublishedCharge;
import io.viaduct.usage.v1.QueuedReport;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.UsageReport;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Billing reads reports from a real broker and posts them in a real PostgreSQL. The test itself is
/// the bridge.
@Timeout(300)
class QueuedReportsTest {
  /// Charge of the worked example, in micro-denarii.
  private static final long PRICE = 13_510_279 + 22_030_879 - 1_192_500;

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
        take-over: 2s
      """;
  @TempDir private static Path brokerFolder;
  private static TestBroker broker;
  private static int topics;

  @TempDir private Path folder;
  private final ManualClock clock = new ManualClock();
  private final List<RunningBilling> instances = new ArrayList<>();
  private final String account = "queue-" + UUID.randomUUID().toString().substring(0, 8);
  private int started;
  private String reports;
  private String verdicts;
  private String charges;

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
    broker.create(reports, 6);
    broker.create(verdicts, 2);
    broker.create(charges, 2);
  }

  @AfterEach
  void stop() {
    instances.forEach(RunningBilling::close);
  }

  private RunningBilling start() throws Exception {
    RunningBilling billing =
        RunningBilling.start(
            Files.createDirectory(folder.resolve("billing-" + started++)),
            clock,
            KAFKA.formatted(broker.address(), reports, verdicts, charges, "group-" + topics));
    instances.add(billing);
    return billing;
  }

  private RunningBilling withoutBroker() throws Exception {
    RunningBilling billing =
        RunningBilling.start(Files.createDirectory(folder.resolve("other")), clock);
    instances.add(billing);
    return billing;
  }

  private QueuedReport queued(String session, long sequence, String payer) {
    return QueuedReport.newBuilder()
        .setReport(
            Reports.signed(
                Reports.report(
                        "snapt-acme",
                        session,
                        1,
                        sequence,
                        payer,
                        clock.instant(),
                        Reports.workedExample())
                    .build()))
        .setReceivedMs(clock.millis())
        .addTokenKeys(Reports.PROVEN.tokenKey())
        .build();
  }

  private void write(QueuedReport report, String payer) throws Exception {
    broker.write(reports, payer.getBytes(StandardCharsets.UTF_8), report.toByteArray());
  }

  private List<ReportVerdict> verdicts() throws Exception {
    List<ReportVerdict> all = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : broker.read(verdicts)) {
      assertThat(new String(record.key(), StandardCharsets.UTF_8)).isEqualTo("snapt-acme");
      all.add(ReportAck.parseFrom(record.value()).getVerdict());
    }
    return all;
  }

  private void awaitVerdicts(ReportVerdict... expected) {
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(verdicts()).containsExactlyInAnyOrder(expected));
  }

  private static long balance(String of) {
    return SharedDatabase.client()
        .sql("select balance_microdenarii from credit_account where account = ?")
        .param(of)
        .query(Long.class)
        .single();
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
    String operator = instances.getFirst().operator();
    List<String> accounts = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      accounts.add(account + "-" + i);
      instances.getFirst().openAccount(operator, accounts.getLast());
    }
    Map<String, String> sessions = new HashMap<>();
    for (int sequence = 0; sequence < 2; sequence++) {
      for (String payer : accounts) {
        String session = sessions.computeIfAbsent(payer, _ -> UUID.randomUUID().toString());
        write(queued(session, sequence, payer), payer);
      }
      if (sequence == 0) {
        await().atMost(Duration.ofSeconds(60)).until(() -> verdicts().size() == 12);
        Set<Boolean> worked = new HashSet<>();
        instances.forEach(
            each -> worked.add(meter(each, "viaduct_queue_records", "outcome", "taken") > 0));
        assertThat(worked).contains(true);
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

  @Test
  void aProcessThatIsKilledInTheMiddleLosesAndDoublesNothing() throws Exception {
    RunningBilling billing = start();
    String operator = billing.operator();
    List<String> accounts = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      accounts.add(account + "-" + i);
      billing.openAccount(operator, accounts.getLast());
    }
    instances.clear();
    billing.close();
    for (String payer : accounts) {
      String session = UUID.randomUUID().toString();
      for (int sequence = 0; sequence < 8; sequence++) {
        write(queued(session, sequence, payer), payer);
      }
    }
    Path configuration = folder.resolve("billing-0").resolve("billing.yml");
    for (int posted : new int[] {1, 40}) {
      Process process = process(configuration);
      try {
        await()
            .atMost(Duration.ofMinutes(2))
            .pollInterval(Duration.ofMillis(5))
            .until(
                () -> accounts.stream().mapToLong(each -> -balance(each)).sum() >= posted * PRICE);
      } finally {
        process.destroyForcibly().waitFor();
      }
    }
    start();
    await()
        .atMost(Duration.ofSeconds(90))
        .untilAsserted(() ->
            assertThat(accounts)
                .allSatisfy(payer -> assertThat(balance(payer)).isEqualTo(-8 * PRICE)));
    await().atMost(Duration.ofSeconds(60)).until(() -> answered().size() == 80);
    assertThat(verdicts()).containsOnly(ReportVerdict.POSTED, ReportVerdict.ALREADY_POSTED);
  }

  private Process process(Path configuration) throws Exception {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            "io.viaduct.billing.BillingCommand",
            "run",
            "--config",
            configuration.toString())
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("output").toFile())
        .start();
  }

  /// Returns the reports that have a verdict, each once.
  private Set<String> answered() throws Exception {
    Set<String> all = new HashSet<>();
    for (ConsumerRecord<byte[], byte[]> record : broker.read(verdicts)) {
      ReportAck ack = ReportAck.parseFrom(record.value());
      all.add(ack.getSessionId() + " " + ack.getSequence());
    }
    return all;
  }

  private KafkaSettings settings(String address) {
    return new KafkaSettings(
        new BrokerSettings(List.of(address), BrokerSettings.Security.PLAINTEXT, "", ""),
        reports,
        verdicts,
        "",
        "group-" + topics,
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

  @Test
  void everyChargeAndEachChangeOfItsStateIsPublishedByAccount() throws Exception {
    RunningBilling billing = start();
    billing.openAccount(billing.operator(), account);
    write(queued(UUID.randomUUID().toString(), 0, account), account);
    await().atMost(Duration.ofSeconds(60)).until(() -> published().size() == 2);
    assertThat(published())
        .extracting(PublishedCharge::getState)
        .containsOnly(ChargeState.CHARGE_CORRECTED);
    assertThat(published().stream().mapToLong(PublishedCharge::getNetMicrodenarii).sum())
        .isEqualTo(PRICE);
    clock.advance(Duration.ofMinutes(11)); // beyond the grace time
    await().atMost(Duration.ofSeconds(60)).until(() -> published().size() == 4);
    assertThat(published())
        .extracting(PublishedCharge::getState)
        .filteredOn(state -> state == ChargeState.CHARGE_FINAL)
        .hasSize(2);
  }

  @Test
  void aBillThatIsMadeAgainIsPublishedWithItsRevision() throws Exception {
    RunningBilling billing = start();
    billing.openAccount(billing.operator(), account);
    write(queued(UUID.randomUUID().toString(), 0, account), account);
    await().atMost(Duration.ofSeconds(60)).until(() -> published().size() == 2);
    int corrected = reratedWithAFee(billing, "fee");
    await().atMost(Duration.ofSeconds(60)).until(() -> published().size() == 4);
    requireRevised(ChargeState.CHARGE_CORRECTED, 1, corrected, PRICE + 500_000);
    assertThat(owed()).isEqualTo(-balance(account));

    clock.advance(Duration.ofMinutes(11)); // beyond the grace time
    await().atMost(Duration.ofSeconds(60)).until(() -> published().size() == 6);
    requireRevised(ChargeState.CHARGE_FINAL, 1, corrected, PRICE + 500_000);

    int first = published().getFirst().getTariffVersion();
    rerated(billing, "back", first); // a final charge
    await().atMost(Duration.ofSeconds(60)).until(() -> published().size() == 8);
    requireRevised(ChargeState.CHARGE_FINAL, 2, first, PRICE);
    assertThat(owed()).isEqualTo(-balance(account)).isEqualTo(PRICE);
  }

  @Test
  void aVoidChargeIsPublishedWithItsBillAndANetAmountOfZero() throws Exception {
    RunningBilling billing = start();
    billing.openAccount(billing.operator(), account);
    QueuedReport complete = queued(UUID.randomUUID().toString(), 0, account);
    UsageReport report = UsageReport.parseFrom(complete.getReport().getReport());
    write(complete.toBuilder().setReport(Reports.unsigned(report)).build(), account);
    await().atMost(Duration.ofSeconds(60)).until(() -> published().size() == 2);
    int corrected = reratedWithAFee(billing, "void");
    await().atMost(Duration.ofSeconds(60)).until(() -> published().size() == 4);
    requireRevised(ChargeState.CHARGE_PROVISIONAL, 1, corrected, PRICE + 500_000);

    clock.advance(Duration.ofDays(31)); // an operator may decide
    long interval =
        SharedDatabase.client()
            .sql("select id from charging_interval where account = ?")
            .param(account)
            .query(Long.class)
            .single();
    assertThat(
            billing
                .parts
                .getBean(UnsignedIntervals.class)
                .decide(
                    interval,
                    UnsignedIntervals.Verdict.VOIDED,
                    new Evidence.Decision("operator", "a test"),
                    clock.instant()))
        .get()
        .isInstanceOf(UnsignedIntervals.Outcome.Done.class);
    await().atMost(Duration.ofSeconds(60)).until(() -> published().size() == 6);
    requireRevised(ChargeState.CHARGE_VOID, 1, corrected, 0);
    assertThat(published().getLast().getChargeMicrodenarii()).isPositive();
    assertThat(owed()).isEqualTo(-balance(account)).isZero();
  }

  private static TariffBook tariffs(RunningBilling billing) {
    return billing.parts.getBean(TariffBook.class);
  }

  /// Begins a re-rating of the account's present bills under a tariff with half a denarius more per
  /// minute.
  ///
  /// @return the version of that tariff
  private int reratedWithAFee(RunningBilling billing, String run) {
    int corrected =
        tariffs(billing)
            .add(
                SeedTariff.at(OperatingPoint.MEASURED, "{\"fees\":{\"PER_MINUTE\":0.5}}"),
                Instant.parse("2400-01-01T00:00:00Z"),
                "operator",
                clock.instant())
            .version();
    rerated(billing, run, corrected);
    return corrected;
  }

  private void rerated(RunningBilling billing, String run, int tariff) {
    assertThat(
            billing
                .parts
                .getBean(Reratings.class)
                .begin(
                    new ReratingOrder(
                        run + "-" + account,
                        clock.instant().minus(Duration.ofHours(1)),
                        clock.instant(),
                        account,
                        null,
                        tariff,
                        "a test",
                        "operator"),
                    clock.instant()))
        .isInstanceOf(Reratings.Begun.New.class);
  }

  /// Requires that both charges were published with a state and a revision, and sum to a net
  /// amount.
  private void requireRevised(ChargeState state, int revision, int tariff, long net)
      throws Exception {
    List<PublishedCharge> revised =
        published().stream()
            .filter(charge -> charge.getState() == state && charge.getRevision() == revision)
            .toList();
    assertThat(revised).hasSize(2).allMatch(charge -> charge.getTariffVersion() == tariff);
    assertThat(revised.stream().mapToLong(PublishedCharge::getNetMicrodenarii).sum())
        .isEqualTo(net);
  }

  /// Returns what the account owes by the last publication of each charge.
  private long owed() throws Exception {
    Map<Long, Long> nets = new HashMap<>();
    published().forEach(charge -> nets.put(charge.getCharge(), charge.getNetMicrodenarii()));
    return nets.values().stream().mapToLong(Long::longValue).sum();
  }

  private List<PublishedCharge> published() throws Exception {
    List<PublishedCharge> all = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : broker.read(charges)) {
      PublishedCharge charge = PublishedCharge.parseFrom(record.value());
      assertThat(new String(record.key(), StandardCharsets.UTF_8)).isEqualTo(charge.getAccount());
      if (charge.getAccount().equals(account)) {
        all.add(charge);
      }
    }
    return all;
  }
}
