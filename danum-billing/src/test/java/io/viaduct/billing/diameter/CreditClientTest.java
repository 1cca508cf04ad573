package io.viaduct.billing.diameter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.credit.CreditControl;
import io.viaduct.billing.ledger.LedgerVerification;
import io.viaduct.billing.mediation.Reports;
import io.viaduct.diameter.credit.Money;
import io.viaduct.diameter.credit.ServiceUnits;
import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.CreditRequest;
import io.viaduct.usage.v1.CreditRequestType;
import io.viaduct.usage.v1.CreditResult;
import io.viaduct.usage.v1.MediationGrpc;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.ServiceClass;
import io.viaduct.usage.v1.UsageReport;
import io.viaduct.usage.v1.UsedUnits;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Billing whose accounts have their money at another charging system.
@Timeout(120)
class CreditClientTest {
  private static final long DENARIUS = 1_000_000;
  private static final long NO_CURRENCY = 999;
  private static final int INITIAL = 1;
  private static final int UPDATE = 2;
  private static final int TERMINATION = 3;

  private static final ManualClock CLOCK = new ManualClock();
  private static ServerSocket holder;
  private static ChargingSystem ocs;
  private static RunningBilling billing;
  private static ManagedChannel bridge;
  private static String operator;

  private final String alice = "alice-" + UUID.randomUUID().toString().substring(0, 8);
  private final String credit = "/api/v1/accounts/" + alice + "/credit";
  private final String session = UUID.randomUUID().toString();
  private long number;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    holder = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.3"));
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getByName("127.0.0.2"), holder.getLocalPort());
    ocs = new ChargingSystem(address, "billing.ims.test");
    billing =
        RunningBilling.start(
            folder,
            CLOCK,
            SharedDatabase.separate("ro_" + UUID.randomUUID().toString().replace("-", "")),
            """
            diameter:
              identity: billing.ims.test
              realm: ims.test
              port: 0
              watchdog: 6s
              peers: [{host: %s, sources: [], address: 127.0.0.2, port: %d}]
              ro: {realm: ims.test, chunk: 100, retry: 1s}
            """
                .formatted(ChargingSystem.HOST, address.getPort()));
    bridge = billing.channel("ims-bridge");
    operator = billing.operator();
  }

  @BeforeEach
  void open() throws Exception {
    billing.openAccount(operator, alice);
  }

  @AfterAll
  static void stop() throws Exception {
    bridge.shutdownNow();
    billing.close();
    ocs.close();
    holder.close();
  }

  private CreditAnswer ask(CreditRequestType type) {
    number++;
    return billing
        .parts
        .getBean(CreditControl.class)
        .answer(
            CreditRequest.newBuilder()
                .setSnaptId("snapt-ro")
                .setSessionId(session)
                .setAccount(alice)
                .setNumber(number)
                .setType(type)
                .addUsed(
                    UsedUnits.newBuilder()
                        .setApplication("ssh")
                        .setServiceClass(ServiceClass.LT_LD)
                        .setFlows(1))
                .build(),
            CLOCK.instant());
  }

  private long available() throws Exception {
    return billing.get(credit, operator).body().get("availableMicrodenarii").asLong();
  }

  private void awaitCredit(long microdenarii) {
    await().untilAsserted(() -> assertThat(available()).isEqualTo(microdenarii));
  }

  private void charge(long sequence) {
    UsageReport report =
        Reports.report(
                "snapt-ro",
                "used-" + alice,
                1,
                sequence,
                alice,
                CLOCK.instant(),
                Reports.workedExample())
            .build();
    assertThat(
            MediationGrpc.newBlockingStub(bridge)
                .submit(Reports.request(CLOCK.instant(), List.of(report)))
                .getAcks(0)
                .getVerdict())
        .isEqualTo(ReportVerdict.POSTED);
  }

  private long balance() throws Exception {
    return billing.get(credit, operator).body().get("balanceMicrodenarii").asLong();
  }

  private List<DiameterMessage> requests() {
    return ocs.requests.stream()
        .filter(request ->
            request
                .avps()
                .group("Subscription-Id")
                .orElseThrow()
                .text("Subscription-Id-Data")
                .orElseThrow()
                .contains(alice))
        .toList();
  }

  private List<Long> types() {
    return requests().stream().map(ChargingSystem::type).distinct().toList();
  }

  @Test
  void anAccountHasTheCreditThatTheChargingSystemGrantsAndTellsItsUse() throws Exception {
    ocs.money(1000 * DENARIUS);
    assertThat(ask(CreditRequestType.INITIAL).getResult())
        .as("before it was asked")
        .isEqualTo(CreditResult.CREDIT_LIMIT_REACHED);
    await().until(() -> requests().size() >= 1);
    assertThat(ChargingSystem.type(requests().getFirst())).isEqualTo(INITIAL);
    awaitCredit(100 * DENARIUS);
    assertThat(ask(CreditRequestType.UPDATE).getResult()).isEqualTo(CreditResult.SUCCESS);
    // Three reports cost more than half of the chunk, and two do not.
    for (int report = 0; report < 3; report++) {
      charge(report);
      CLOCK.advance(Duration.ofSeconds(30));
    }
    long charged = -balance();
    assertThat(charged).isGreaterThan(50 * DENARIUS);
    await()
        .untilAsserted(() ->
            assertThat(requests().stream().mapToLong(ChargingSystem::used).sum())
                .isEqualTo(charged));
    assertThat(ChargingSystem.type(requests().getLast())).isEqualTo(UPDATE);
    assertThat(ocs.money()).isEqualTo(1000 * DENARIUS - charged);
    var ended = ask(CreditRequestType.TERMINATION);
    assertThat(ended.getResult()).isEqualTo(CreditResult.SUCCESS);
    CLOCK.advance(Duration.ofMinutes(10));
    await().untilAsserted(() -> assertThat(types()).contains((long) TERMINATION));
    awaitCredit(0);
    assertThat(billing.parts.getBean(LedgerVerification.class).run())
        .allMatch(LedgerVerification.Check::holds);
  }

  @Test
  void aTopUpThereReachesTheAccountByReAuth() throws Exception {
    ocs.money(DENARIUS);
    ask(CreditRequestType.INITIAL);
    awaitCredit(DENARIUS);
    ocs.money(1000 * DENARIUS);
    String roSession = requests().getFirst().avps().text("Session-Id").orElseThrow();
    DiameterMessage answer = ocs.reauthorize(roSession).get(20, TimeUnit.SECONDS);
    assertThat(answer.resultCode()).hasValue(2002);
    awaitCredit(100 * DENARIUS);
    assertThat(ocs.reauthorize("elsewhere;1;2").get(20, TimeUnit.SECONDS).resultCode())
        .hasValue(5002);
    assertThat(
            billing
                .call(
                    "PUT",
                    credit + "/limit",
                    operator,
                    "{\"limitMicrodenarii\":\"5\"}",
                    billing.ifMatch(credit, operator))
                .problem())
        .isEqualTo("configured-operator");
  }

  @Test
  void aRequestWithoutAnAnswerIsSentAgainWithItsNumberAndAGrantThatIsOverIsVoid() throws Exception {
    ocs.money(1000 * DENARIUS);
    ask(CreditRequestType.INITIAL);
    awaitCredit(100 * DENARIUS);
    ocs.busy(true);
    CLOCK.advance(ChargingSystem.VALIDITY.plusSeconds(1));
    awaitCredit(0);
    await()
        .until(() -> {
          CLOCK.advance(Duration.ofSeconds(1));
          return requests().size() >= 3;
        });
    assertThat(requests().stream().skip(1).map(ChargingSystem::number)).containsOnly(1L);
    assertThat(requests())
        .as("the T bit means that no answer came (RFC 6733 section 3)")
        .noneMatch(request -> request.header().retransmitted());
    ocs.busy(false);
    await()
        .untilAsserted(() -> {
          CLOCK.advance(Duration.ofSeconds(1)); // the time of the next copy may be after the latest
          assertThat(available()).isEqualTo(100 * DENARIUS);
        });
  }

  @Test
  void aRepeatedRequestIsACopyWithTheTBit() throws Exception {
    ocs.money(1000 * DENARIUS);
    ask(CreditRequestType.INITIAL);
    awaitCredit(100 * DENARIUS);
    charge(0);
    long charged = -balance();
    ocs.silent();
    CLOCK.advance(ChargingSystem.VALIDITY.plusSeconds(1));
    await().until(() -> requests().size() >= 2);
    ocs.restart();
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> {
          CLOCK.advance(Duration.ofSeconds(1));
          assertThat(available()).isEqualTo(100 * DENARIUS);
        });
    DiameterMessage first = requests().get(1);
    DiameterMessage copy = requests().get(2);
    assertThat(first.header().retransmitted()).isFalse();
    assertThat(copy.header().retransmitted()).isTrue();
    assertThat(copy.header().endToEnd()).isEqualTo(first.header().endToEnd());
    assertThat(copy.avps()).as("Event-Timestamp is that of the request").isEqualTo(first.avps());
    assertThat(ocs.money()).as("told once").isEqualTo(1000 * DENARIUS - charged);
    assertThat(requests().stream().skip(3))
        .as("later requests are no copies")
        .noneMatch(request -> request.header().retransmitted());
  }

  @Test
  void aRequestThatNoPeerCouldTakeIsNoCopyWhenItIsSent() throws Exception {
    ocs.money(1000 * DENARIUS);
    ocs.stop();
    double before = billing.counter("viaduct_ro_requests_total{result=\"not_taken\"");
    ask(CreditRequestType.INITIAL);
    await().until(() -> billing.counter("viaduct_ro_requests_total{result=\"not_taken\"") > before);
    ocs.restart();
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> {
          CLOCK.advance(Duration.ofSeconds(1));
          assertThat(available()).isEqualTo(100 * DENARIUS);
        });
    assertThat(requests()).isNotEmpty().noneMatch(request -> request.header().retransmitted());
  }

  @Test
  void aGrantInAnotherUnitIsCountedAndMoneyIsCredit() throws Exception {
    ocs.money(1000 * DENARIUS);
    ocs.unit(ServiceUnits::ofOctets);
    ask(CreditRequestType.INITIAL);
    await().until(() -> billing.counter("viaduct_ro_requests_total{result=\"other_unit\"") > 0);
    assertThat(available()).isZero();
    ocs.unit(micro ->
        ServiceUnits.ofMoney(
            new Money(BigDecimal.valueOf(micro, 6), OptionalLong.of(NO_CURRENCY))));
    await()
        .untilAsserted(() -> {
          CLOCK.advance(Duration.ofSeconds(1));
          assertThat(available()).isEqualTo(100 * DENARIUS);
        });
    ocs.unit(ServiceUnits::ofSpecific);
  }
}
