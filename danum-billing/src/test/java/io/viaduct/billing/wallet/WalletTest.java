package io.viaduct.billing.wallet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.database.Snapshot;
import io.viaduct.billing.ledger.LedgerVerification;
import io.viaduct.billing.mediation.Reports;
import io.viaduct.usage.v1.MediationGrpc;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.UsageReport;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Wallets on a running billing: granted by REST, drawn by reports, expired by the clock.
class WalletTest {
  /// Net of the worked example's two charges: 13 510 279 and 22 030 879 less discounts of 765 000
  /// and 427 500.
  private static final long FIRST = 12_745_279;

  private static final long SECOND = 21_603_379;
  private static final long DENARIUS = 1_000_000;
  private static final ManualClock CLOCK = new ManualClock();

  private static RunningBilling billing;
  private static ManagedChannel bridge;

  private final String account = "wallet-" + UUID.randomUUID().toString().substring(0, 8);
  private String operator;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    billing = RunningBilling.start(folder, CLOCK);
    bridge = billing.channel("ims-bridge");
  }

  @AfterAll
  static void stop() {
    bridge.shutdownNow();
    billing.close();
  }

  @BeforeEach
  void open() throws Exception {
    operator = billing.operator();
    billing.openAccount(operator, account);
  }

  private Answer grant(String key, long microdenarii, Instant expiresAt) throws Exception {
    return billing.call(
        "POST",
        "/api/v1/accounts/" + account + "/grants",
        operator,
        "{\"amountMicrodenarii\":\"%d\",\"expiresAt\":\"%s\",\"reason\":\"welcome\"}"
            .formatted(microdenarii, expiresAt),
        Map.of("Idempotency-Key", key));
  }

  private void report() {
    UsageReport report =
        Reports.report(
                "snapt-w",
                UUID.randomUUID().toString(),
                1,
                0,
                account,
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

  private JsonNode wallets() throws Exception {
    return billing.get("/api/v1/accounts/" + account + "/wallets", operator).body().get("wallets");
  }

  private long balance() throws Exception {
    return billing
        .get("/api/v1/accounts/" + account + "/balance", operator)
        .body()
        .get("postedMicrodenarii")
        .asLong();
  }

  private JsonNode payment(String application) throws Exception {
    String token = billing.logIn(account, "password-of-" + account);
    JsonNode charge =
        billing
            .get("/api/v1/accounts/" + account + "/charges?application=" + application, token)
            .body()
            .at("/charges/0/id");
    return billing.get("/api/v1/charges/" + charge.asString() + "/payment", token).body();
  }

  private static void requireAnIntactLedger() {
    assertThat(
            new LedgerVerification(
                    SharedDatabase.client(), new Snapshot(SharedDatabase.transactions()))
                .run())
        .allMatch(LedgerVerification.Check::holds);
  }

  @Test
  void chargesDrawFirstTheWalletThatExpiresFirstAndPrepaidMoneyLast() throws Exception {
    grant(account + "-2", 20 * DENARIUS, CLOCK.instant().plus(Duration.ofDays(20)));
    grant(account + "-1", 10 * DENARIUS, CLOCK.instant().plus(Duration.ofDays(10)));
    report();
    JsonNode first = payment("skype-video");
    assertThat(first.get("passedBy").asString()).isEqualTo("none");
    assertThat(first.at("/paidBy/0/amountMicrodenarii").asLong()).isEqualTo(10 * DENARIUS);
    assertThat(first.at("/paidBy/0/wallet").asString()).isEqualTo("grant");
    assertThat(first.at("/paidBy/1/amountMicrodenarii").asLong()).isEqualTo(FIRST - 10 * DENARIUS);
    assertThat(first.get("paidBy")).hasSize(2);
    JsonNode second = payment("hangout-video");
    long left = 30 * DENARIUS - FIRST;
    assertThat(second.at("/paidBy/0/amountMicrodenarii").asLong()).isEqualTo(left);
    assertThat(second.at("/paidBy/1/wallet").asString()).isEqualTo("prepaid");
    assertThat(second.at("/paidBy/1/amountMicrodenarii").asLong()).isEqualTo(SECOND - left);
    assertThat(
            billing.get("/api/v1/accounts/" + account + "/charges", operator).body().get("charges"))
        .extracting(
            charge -> charge.get("application").asString() + ": " + charge.get("paidBy").asString())
        .containsExactlyInAnyOrder("skype-video: grant", "hangout-video: grant prepaid");
    assertThat(balance()).isEqualTo(30 * DENARIUS - FIRST - SECOND);
    assertThat(wallets()).allMatch(wallet -> wallet.get("restMicrodenarii").asLong() == 0);
    requireAnIntactLedger();
  }

  @Test
  void whatIsLeftExpiresAndPrepaidMoneyStays() throws Exception {
    billing.call(
        "POST",
        "/api/v1/accounts/" + account + "/top-ups",
        operator,
        "{\"amountMicrodenarii\":\"5000000\",\"reference\":\"cash\"}",
        Map.of("Idempotency-Key", account));
    grant(account, 50 * DENARIUS, CLOCK.instant().plus(Duration.ofHours(1)));
    report();
    assertThat(balance()).isEqualTo(55 * DENARIUS - FIRST - SECOND);
    CLOCK.advance(Duration.ofHours(2));
    operator = billing.operator();
    await().untilAsserted(() -> assertThat(balance()).isEqualTo(5 * DENARIUS));
    assertThat(wallets().at("/0/restMicrodenarii").asLong()).isZero();
    requireAnIntactLedger();
  }

  @Test
  void anAllowanceIsGrantedOnceAMonthAndExpiresWithIt() throws Exception {
    String path = "/api/v1/accounts/" + account + "/allowance";
    String body = "{\"amountMicrodenarii\":\"7000000\"}";
    assertThat(billing.call("PUT", path, operator, body, Map.of()).status()).isEqualTo(200);
    assertThat(billing.call("PUT", path, operator, body, Map.of()).problem())
        .as("without the tag of the allowance that it would replace")
        .isEqualTo("version-required");
    assertThat(billing.call("PUT", path, operator, body, billing.ifMatch(path, operator)).status())
        .isEqualTo(200);
    assertThat(balance()).isEqualTo(7 * DENARIUS);
    YearMonth month = YearMonth.from(CLOCK.instant().atZone(ZoneOffset.UTC));
    Instant end = month.plusMonths(1).atDay(1).atStartOfDay(ZoneOffset.UTC).toInstant();
    assertThat(wallets().at("/0/expiresAt").asString()).isEqualTo(end.toString());
    assertThat(wallets().at("/0/kind").asString()).isEqualTo("allowance");
    CLOCK.advance(Duration.between(CLOCK.instant(), end));
    operator = billing.operator();
    await().until(() -> wallets().size() == 2);
    await().untilAsserted(() -> assertThat(balance()).isEqualTo(7 * DENARIUS));
    assertThat(billing.call("DELETE", path, operator, null, Map.of()).status()).isEqualTo(428);
    Map<String, String> known = billing.ifMatch(path, operator);
    String more = "{\"amountMicrodenarii\":\"8000000\"}";
    Answer replaced = billing.call("PUT", path, operator, more, known);
    assertThat(replaced.status()).isEqualTo(200);
    assertThat(replaced.raw().headers().firstValue("ETag"))
        .contains(billing.ifMatch(path, operator).get("If-Match"));
    assertThat(billing.call("PUT", path, operator, body, known).problem())
        .as("by an operator who has read it before")
        .isEqualTo("changed-meanwhile");
    assertThat(billing.call("DELETE", path, operator, null, known).problem())
        .isEqualTo("changed-meanwhile");
    known = billing.ifMatch(path, operator);
    assertThat(billing.call("DELETE", path, operator, null, known).status()).isEqualTo(204);
    assertThat(billing.call("DELETE", path, operator, null, known).status()).isEqualTo(404);
    assertThat(billing.call("PUT", path, operator, body, known).problem())
        .isEqualTo("changed-meanwhile");
    requireAnIntactLedger();
  }

  @Test
  void aGrantIsPostedOncePerKey() throws Exception {
    Instant expiry = CLOCK.instant().plus(Duration.ofDays(1));
    assertThat(grant(account, DENARIUS, expiry).status()).isEqualTo(201);
    assertThat(grant(account, DENARIUS, expiry).status()).isEqualTo(200);
    assertThat(grant(account, 2 * DENARIUS, expiry).problem()).isEqualTo("idempotency-key-reused");
    assertThat(grant(account + "-x", DENARIUS, CLOCK.instant()).raw().body())
        .contains("expiresAt must be in the future");
    assertThat(balance()).isEqualTo(DENARIUS);
  }
}
