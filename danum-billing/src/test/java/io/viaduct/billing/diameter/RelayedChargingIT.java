package io.viaduct.billing.diameter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.credit.CreditControl;
import io.viaduct.billing.mediation.Reports;
import io.viaduct.diameter.FreeDiameter;
import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.peer.Nodes;
import io.viaduct.usage.v1.CreditRequest;
import io.viaduct.usage.v1.CreditRequestType;
import io.viaduct.usage.v1.MediationGrpc;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.ServiceClass;
import io.viaduct.usage.v1.UsageReport;
import io.viaduct.usage.v1.UsedUnits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Billing's own credit requests (Ro) and accounting records (Rf) reach the operator's charging
/// system through a freeDiameter relay, which reads each AVP with dictionaries of its own.
@Timeout(240)
class RelayedChargingIT {
  private static final long DENARIUS = 1_000_000;
  private static final String BILLING = "billing.ims.test";
  private static final String USER = "alice";
  private static final String CREDIT = "/api/v1/accounts/alice/credit";
  private static final long START = 2;
  private static final long INTERIM = 3;
  private static final long STOP = 4;

  @TempDir Path folder;
  private final ManualClock clock = new ManualClock();
  private ChargingSystem charging;
  private FreeDiameter relay;
  private RunningBilling billing;
  private ManagedChannel bridge;

  @BeforeEach
  @Timeout(180) // three programs start
  void start() throws Exception {
    charging = new ChargingSystem(Nodes.loopback(0), FreeDiameter.HOST, BILLING);
    relay =
        FreeDiameter.start(
            Files.createDirectories(folder.resolve("relay")), ChargingSystem.HOST, charging.port());
    billing =
        RunningBilling.start(
            folder,
            clock,
            SharedDatabase.separate("relayed_" + UUID.randomUUID().toString().replace("-", "")),
            """
            diameter:
              identity: %s
              realm: ims.test
              port: 0
              watchdog: 30s
              peers: [{host: %s, sources: [], address: %s, port: %d}]
              rf: {directory: %s, realm: ims.test}
              ro: {realm: ims.test, chunk: 100, retry: 1s}
            """
                .formatted(
                    BILLING,
                    FreeDiameter.HOST,
                    relay.address().getAddress().getHostAddress(),
                    relay.address().getPort(),
                    folder.resolve("records")));
    bridge = billing.channel("ims-bridge");
    billing.openAccount(billing.operator(), USER);
  }

  @AfterEach
  void stop() throws Exception {
    if (bridge != null) {
      bridge.shutdownNow();
    }
    if (billing != null) {
      billing.close();
    }
    if (relay != null) {
      relay.close();
    }
    charging.close();
  }

  private String log() {
    try {
      return Files.readString(folder.resolve("relay").resolve("output"));
    } catch (IOException e) {
      return e.toString();
    }
  }

  private void ask(CreditRequestType type, int number) {
    var unused =
        billing
            .parts
            .getBean(CreditControl.class)
            .answer(
                CreditRequest.newBuilder()
                    .setSnaptId("snapt-relayed")
                    .setSessionId("session")
                    .setAccount(USER)
                    .setNumber(number)
                    .setType(type)
                    .addUsed(
                        UsedUnits.newBuilder()
                            .setApplication("ssh")
                            .setServiceClass(ServiceClass.LT_LD)
                            .setFlows(1))
                    .build(),
                clock.instant());
  }

  private String report(long sequence, boolean isLast) {
    UsageReport report =
        Reports.report(
                "snapt-relayed",
                "session",
                1,
                sequence,
                USER,
                clock.instant(),
                Reports.workedExample())
            .setLast(isLast)
            .build();
    assertThat(
            MediationGrpc.newBlockingStub(bridge)
                .submit(Reports.request(clock.instant(), List.of(report)))
                .getAcks(0)
                .getVerdict())
        .isEqualTo(ReportVerdict.POSTED);
    clock.advance(Duration.ofSeconds(30));
    return report.getIcid();
  }

  private long credit(String member) throws Exception {
    return billing.get(CREDIT, billing.operator()).body().get(member).asLong();
  }

  private static List<Long> types(List<DiameterMessage> records) {
    return records.stream()
        .map(record -> record.avps().number("Accounting-Record-Type").orElseThrow())
        .toList();
  }

  private static String icid(DiameterMessage record) {
    return record
        .avps()
        .group("Service-Information")
        .flatMap(information -> information.group("IMS-Information"))
        .flatMap(ims -> ims.text("IMS-Charging-Identifier"))
        .orElse("");
  }

  @Test
  void creditIsGrantedUsedAndRecordedThroughTheRelay() throws Exception {
    // The relay may wait for a name server that does not answer.
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() ->
            assertThat(billing.counter("viaduct_diameter_events_total{kind=\"connected\""))
                .as(this::log)
                .isPositive());
    charging.money(1000 * DENARIUS);
    ask(CreditRequestType.INITIAL, 1);
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() ->
            assertThat(credit("availableMicrodenarii")).as("%s", log()).isEqualTo(100 * DENARIUS));

    String icid = report(0, false);
    report(1, false);
    report(2, true);
    long charged = -credit("balanceMicrodenarii");
    assertThat(charged).as("more than half of the chunk, so it is told").isGreaterThan(50_000_000);
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() ->
            assertThat(charging.requests.stream().mapToLong(ChargingSystem::used).sum())
                .as("%s", log())
                .isEqualTo(charged));
    assertThat(charging.money()).isEqualTo(1000 * DENARIUS - charged);

    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() ->
            assertThat(types(charging.records))
                .as("%s", log())
                .containsExactly(START, INTERIM, INTERIM, STOP));
    assertThat(charging.records).allMatch(record -> icid(record).equals(icid));
    await().until(() -> billing.counter("viaduct_diameter_queue ") == 0);
    assertThat(charging.requests)
        .as("each message came by the relay")
        .allMatch(request -> request.avps().text("Route-Record").equals(Optional.of(BILLING)));

    // The way back: the charging system asks billing to ask again.
    String session = charging.requests.getFirst().avps().text("Session-Id").orElseThrow();
    assertThat(charging.reauthorize(session).get(20, TimeUnit.SECONDS).resultCode())
        .as("%s", log())
        .hasValue(2002);
  }
}
