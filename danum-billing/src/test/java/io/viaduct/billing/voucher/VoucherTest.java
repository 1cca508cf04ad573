package io.viaduct.billing.voucher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.billing.SharedDatabase;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Vouchers from their making to their end, against a running billing.
class VoucherTest {
  private static final ManualClock CLOCK = new ManualClock();
  private static RunningBilling billing;

  private String operator;
  private String alice;
  private String token;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    billing = RunningBilling.start(folder, CLOCK);
  }

  @AfterAll
  static void stop() {
    billing.close();
  }

  @BeforeEach
  void open() throws Exception {
    operator = billing.operator();
    alice = user();
    token = billing.logIn(alice, "password-of-" + alice);
  }

  private String user() throws Exception {
    String id = "user-" + UUID.randomUUID().toString().substring(0, 8);
    billing.openAccount(operator, id);
    return id;
  }

  private Answer make(int count, long amount, Instant expires, String key) throws Exception {
    return billing.call(
        "POST",
        "/api/v1/vouchers",
        operator,
        "{\"count\":%d,\"amountMicrodenarii\":\"%d\",\"expiresAt\":\"%s\",\"note\":\"kiosk\"}"
            .formatted(count, amount, expires),
        Map.of("Idempotency-Key", key));
  }

  private JsonNode made(int count, long amount) throws Exception {
    Answer answer = make(count, amount, CLOCK.instant().plus(Duration.ofDays(30)), key());
    assertThat(answer.status()).as(answer.raw().body()).isEqualTo(201);
    return answer.body();
  }

  private static String key() {
    return UUID.randomUUID().toString();
  }

  private static Answer redeem(String account, String token, String code) throws Exception {
    return billing.post(
        "/api/v1/accounts/" + account + "/redemptions", token, "{\"code\":\"" + code + "\"}");
  }

  private String balance(String account) throws Exception {
    return billing
        .get("/api/v1/accounts/" + account + "/balance", operator)
        .body()
        .get("postedMicrodenarii")
        .asString();
  }

  private void ledgerHolds() throws Exception {
    Answer answer = billing.get("/api/v1/ledger/verification", operator);
    assertThat(answer.body().get("holds").asBoolean()).as(answer.raw().body()).isTrue();
  }

  private static List<String> postings(JsonNode of) {
    return SharedDatabase.jdbc()
        .queryForList(
            "select account || ' ' || amount_microdenarii from posting where transaction_id = ? order by line",
            String.class,
            of.asLong());
  }

  private static long owed() {
    return SharedDatabase.jdbc()
        .queryForObject(
            "select coalesce(sum(amount_microdenarii), 0) from posting where account = 'VOUCHERS'",
            Long.class);
  }

  @Test
  void aSaleIsOwedToTheBearersUntilAUserRedeemsIt() throws Exception {
    long before = owed();
    JsonNode made = made(3, 5_000_000);
    assertThat(owed() - before).isEqualTo(15_000_000);
    assertThat(made.get("vouchers").size()).isEqualTo(3);
    String code = made.at("/vouchers/1/code").asString();
    assertThat(made.at("/vouchers/1/serial").asString())
        .isEqualTo(made.at("/batch/id").asString() + "-2");

    Answer redeemed = redeem(alice, token, code.toLowerCase().replace("-", " "));
    assertThat(redeemed.status()).as(redeemed.raw().body()).isEqualTo(201);
    assertThat(balance(alice)).isEqualTo("5000000");
    assertThat(postings(redeemed.body().get("transaction")))
        .containsExactly("VOUCHERS -5000000", "USER:" + alice + " 5000000");
    assertThat(owed() - before).isEqualTo(10_000_000);
    Answer again = redeem(alice, token, code);
    assertThat(again.status()).isEqualTo(200);
    assertThat(again.body()).isEqualTo(redeemed.body());
    assertThat(balance(alice)).isEqualTo("5000000");

    JsonNode batch =
        billing.get("/api/v1/vouchers/" + made.at("/batch/id").asString(), operator).body();
    assertThat(batch.get("open").asInt()).isEqualTo(2);
    assertThat(batch.get("redeemed").asInt()).isEqualTo(1);
    ledgerHolds();
  }

  @Test
  void theCodesAreToldOnceAndStoredOnlyAsDigests() throws Exception {
    String key = key();
    Instant expires = CLOCK.instant().plus(Duration.ofDays(30));
    JsonNode first = make(2, 1_000_000, expires, key).body();
    Answer again = make(2, 1_000_000, expires, key);
    assertThat(again.status()).isEqualTo(200);
    assertThat(again.body().get("batch")).isEqualTo(first.get("batch"));
    assertThat(again.body().get("vouchers").isEmpty()).isTrue();
    assertThat(make(3, 1_000_000, expires, key).problem()).isEqualTo("idempotency-key-reused");

    String code = first.at("/vouchers/0/code").asString().replace("-", "");
    String rows =
        String.join(
            "\n",
            SharedDatabase.jdbc()
                .queryForList(
                    "select v::text || encode(code_digest, 'escape') from voucher v",
                    String.class));
    assertThat(rows).doesNotContain(code).doesNotContain(hex(code));
  }

  private static String hex(String text) {
    return java.util.HexFormat.of().formatHex(text.getBytes(StandardCharsets.US_ASCII));
  }

  @Test
  void aVoucherIsRedeemedByOneOfManyWhoSendItAtOnce() throws Exception {
    String code = made(1, 7_000_000).at("/vouchers/0/code").asString();
    List<String> users = new ArrayList<>();
    List<Callable<Integer>> racers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      String user = user();
      String own = billing.logIn(user, "password-of-" + user);
      users.add(user);
      racers.add(() -> redeem(user, own, code).status());
      racers.add(() -> redeem(user, own, code).status());
    }
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Integer> statuses = new ArrayList<>();
      for (Future<Integer> racer : threads.invokeAll(racers)) {
        statuses.add(racer.get());
      }
      assertThat(statuses).containsOnlyOnce(201).containsOnlyOnce(200).contains(409).hasSize(16);
    }
    long paid = 0;
    for (String user : users) {
      paid += Long.parseLong(balance(user));
    }
    assertThat(paid).isEqualTo(7_000_000);
    ledgerHolds();
  }

  @Test
  void usedReturnedAndUnknownCodesAreRefusedWithTheReason() throws Exception {
    JsonNode made = made(2, 1_000_000);
    String code = made.at("/vouchers/0/code").asString();
    String bob = user();
    redeem(bob, billing.logIn(bob, "password-of-" + bob), code);
    Answer used = redeem(alice, token, code);
    assertThat(used.problem()).isEqualTo("voucher-ended");
    assertThat(used.body().get("detail").asString())
        .contains("was redeemed by another account")
        .doesNotContain(bob);

    String batch = made.at("/batch/id").asString();
    Answer returned =
        billing.post(
            "/api/v1/vouchers/" + batch + "/return", operator, "{\"reason\":\"sheet was lost\"}");
    assertThat(returned.body().get("returned").asInt()).isEqualTo(1);
    Answer late = redeem(alice, token, made.at("/vouchers/1/code").asString());
    assertThat(late.body().get("detail").asString()).contains("was taken back by the operator");

    Answer unknown = redeem(alice, token, "0".repeat(20));
    assertThat(unknown.status()).isEqualTo(422);
    assertThat(unknown.problem()).isEqualTo("voucher-unknown");
    assertThat(redeem(alice, token, "too short").body().get("detail").asString())
        .contains("20 letters and digits");
    assertThat(balance(alice)).isEqualTo("0");
    assertThat(redeem(bob, token, code).status()).as("another user's account").isEqualTo(404);
    assertThat(billing.post("/api/v1/vouchers/1/return", token, "{\"reason\":\"x\"}").problem())
        .isEqualTo("forbidden");
    ledgerHolds();
  }

  @Test
  void anExpiredVoucherIsRefusedAtOnceAndBecomesBreakage() throws Exception {
    Instant expires = CLOCK.instant().plusSeconds(60);
    JsonNode made = make(2, 3_000_000, expires, key()).body();
    CLOCK.advance(Duration.ofSeconds(60));
    Answer late = redeem(alice, token, made.at("/vouchers/0/code").asString());
    assertThat(late.problem()).isEqualTo("voucher-ended");
    assertThat(late.body().get("detail").asString()).contains("expired at " + expires);
    String path = "/api/v1/vouchers/" + made.at("/batch/id").asString();
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() ->
            assertThat(billing.get(path, operator).body().get("expired").asInt()).isEqualTo(2));
    assertThat(
            SharedDatabase.jdbc()
                .queryForList(
                    "select p.account || ' ' || p.amount_microdenarii from posting p join ledger_transaction t on t.id = p.transaction_id"
                        + " where t.identity = 'voucher-expiry:' || ? order by p.line",
                    String.class,
                    made.at("/batch/id").asString()))
        .containsExactly("VOUCHERS -6000000", "OPERATOR:BREAKAGE 6000000");
    ledgerHolds();
  }

  @Test
  void aRequestIsTheSameWhenItsTimeIsFinerThanTheDatabaseKeeps() throws Exception {
    Instant expires = CLOCK.instant().plus(Duration.ofDays(30)).plusNanos(1_234_567);
    String key = key();
    assertThat(make(1, 1_000_000, expires, key).status()).isEqualTo(201);
    assertThat(make(1, 1_000_000, expires, key).status()).isEqualTo(200);
  }

  @Test
  void guessingIsThrottledAndCountedAndAKnownCodeStaysRedeemable() throws Exception {
    double unknown = billing.counter("viaduct_voucher_codes_total{outcome=\"unknown\"");
    double throttled = billing.counter("viaduct_voucher_codes_total{outcome=\"throttled\"");
    String code = made(1, 1_000_000).at("/vouchers/0/code").asString();
    for (int i = 0; i < VoucherGuesses.PER_ACCOUNT; i++) {
      assertThat(redeem(alice, token, "1111122222333334444" + i).status()).isEqualTo(422);
    }
    Answer tooMany = redeem(alice, token, code);
    assertThat(tooMany.problem()).isEqualTo("too-many-attempts");
    assertThat(tooMany.raw().headers().firstValue("Retry-After")).isPresent();
    assertThat(billing.counter("viaduct_voucher_codes_total{outcome=\"unknown\"") - unknown)
        .isEqualTo(VoucherGuesses.PER_ACCOUNT);
    assertThat(billing.counter("viaduct_voucher_codes_total{outcome=\"throttled\"") - throttled)
        .isEqualTo(1);
    CLOCK.advance(Duration.ofMinutes(1));
    assertThat(redeem(alice, token, code).status()).isEqualTo(201);
  }

  @Test
  void wrongRequestsForVouchersNameTheRule() throws Exception {
    Instant expires = CLOCK.instant().plus(Duration.ofDays(30));
    assertThat(make(0, 5, expires, key()).body().get("detail").asString())
        .isEqualTo("count must be 1 to 1000, got 0");
    assertThat(make(1001, 5, expires, key()).status()).isEqualTo(400);
    assertThat(make(1, 0, expires, key()).status()).isEqualTo(400);
    assertThat(make(1, 5, CLOCK.instant(), key()).body().get("detail").asString())
        .contains("expiresAt must be after now and within ten years");
    assertThat(billing.get("/api/v1/vouchers", token).problem()).isEqualTo("forbidden");
  }
}
