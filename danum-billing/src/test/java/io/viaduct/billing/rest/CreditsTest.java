package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.rest.ChargesOnFile.OnFile;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.dao.DataIntegrityViolationException;
import tools.jackson.databind.JsonNode;

class CreditsTest {
  private static RunningBilling billing;
  private static String operator;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    billing = RunningBilling.start(folder, new ManualClock());
    operator = billing.operator();
  }

  @AfterAll
  static void stop() {
    billing.close();
  }

  private static String fresh() throws Exception {
    String id = "rita-" + UUID.randomUUID().toString().substring(0, 8);
    billing.openAccount(operator, id);
    return id;
  }

  private static OnFile charged(String account) {
    return ChargesOnFile.add(account, 4, Instant.parse("2026-04-01T00:00:00Z"), new Random(21))
        .stream()
        .filter(c -> c.charge() - c.discount() > 1000)
        .findFirst()
        .orElseThrow();
  }

  private static Answer give(
      String token, String account, String key, long amount, String reason, Long charge)
      throws Exception {
    return billing.call(
        "POST",
        "/api/v1/accounts/" + account + "/credits",
        token,
        "{\"amountMicrodenarii\":\"%d\",\"reason\":\"%s\"%s}"
            .formatted(amount, reason, charge == null ? "" : ",\"charge\":\"" + charge + "\""),
        Map.of("Idempotency-Key", key));
  }

  private static String key() {
    return UUID.randomUUID().toString();
  }

  private static String balance(String account) throws Exception {
    return billing
        .get("/api/v1/accounts/" + account + "/balance", operator)
        .body()
        .get("postedMicrodenarii")
        .asString();
  }

  private static void ledgerHolds() throws Exception {
    Answer answer = billing.get("/api/v1/ledger/verification", operator);
    assertThat(answer.body().get("holds").asBoolean()).as(answer.raw().body()).isTrue();
  }

  @Test
  void aCreditIsPostedOnceForItsKeyAndShownToItsOwnerWithTheReason() throws Exception {
    String account = fresh();
    String key = key();
    Answer given = give(operator, account, key, 250_000, "line was down on Monday", null);
    assertThat(given.status()).as(given.raw().body()).isEqualTo(201);
    assertThat(given.body().get("kind").asString()).isEqualTo("credit");
    Answer again = give(operator, account, key, 250_000, "line was down on Monday", null);
    assertThat(again.status()).isEqualTo(200);
    assertThat(again.body()).isEqualTo(given.body());
    Answer other = give(operator, account, key, 250_000, "another reason", null);
    assertThat(other.problem()).isEqualTo("idempotency-key-reused");
    assertThat(balance(account)).isEqualTo("250000");

    String token = billing.logIn(account, "password-of-" + account);
    JsonNode shown =
        billing.get("/api/v1/accounts/" + account + "/credits", token).body().get("credits");
    assertThat(shown.size()).isEqualTo(1);
    assertThat(shown.get(0).get("reason").asString()).isEqualTo("line was down on Monday");
    assertThat(shown.get(0).get("createdBy").asString()).isEqualTo("operator");
    JsonNode posting =
        billing.get("/api/v1/accounts/" + account + "/postings", token).body().at("/postings/0");
    assertThat(posting.get("kind").asString()).isEqualTo("CREDIT");
    assertThat(
            SharedDatabase.jdbc()
                .queryForList(
                    "select account || amount_microdenarii from posting where transaction_id = ?"
                        + " order by amount_microdenarii",
                    String.class,
                    given.body().get("transaction").asLong()))
        .containsExactly("OPERATOR:ADJUSTMENT-250000", "USER:" + account + "250000");
    ledgerHolds();
  }

  @Test
  void aRefundCannotExceedTheRestOfTheCharge() throws Exception {
    String account = fresh();
    OnFile charge = charged(account);
    long paid = charge.charge() - charge.discount();
    assertThat(give(operator, account, key(), paid + 1, "too much", charge.id()).problem())
        .isEqualTo("refund-exceeds-charge");
    Answer part = give(operator, account, key(), paid - 600, "half", charge.id());
    assertThat(part.body().get("kind").asString()).isEqualTo("refund");
    Answer more = give(operator, account, key(), 601, "rest and one", charge.id());
    assertThat(more.status()).isEqualTo(409);
    assertThat(more.body().get("detail").asString())
        .isEqualTo("of charge " + charge.id() + " 600 µden may still be refunded, got 601");
    assertThat(give(operator, account, key(), 600, "rest", charge.id()).status()).isEqualTo(201);
    JsonNode shown = billing.get("/api/v1/charges/" + charge.id(), operator).body();
    assertThat(shown.get("refundedMicrodenarii").asString()).isEqualTo(Long.toString(paid));
    assertThat(balance(account)).isEqualTo(Long.toString(paid));
    ledgerHolds();
  }

  @Test
  void parallelRefundsOfOneChargeNeverExceedThePaidAmount() throws Exception {
    String account = fresh();
    OnFile charge = charged(account);
    long paid = charge.charge() - charge.discount();
    long third = paid / 3 - 1;
    try (ExecutorService many = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Integer>> refunds = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        refunds.add(() -> give(operator, account, key(), third, "race", charge.id()).status());
      }
      List<Integer> statuses = new ArrayList<>();
      for (Future<Integer> done : many.invokeAll(refunds)) {
        statuses.add(done.get());
      }
      assertThat(statuses.stream().filter(s -> s == 201)).hasSize(3);
      assertThat(statuses).containsOnly(201, 409);
    }
    assertThat(balance(account)).isEqualTo(Long.toString(3 * third));
    ledgerHolds();
  }

  @Test
  void theDatabaseItselfRefusesARefundBeyondTheCharge() throws Exception {
    String account = fresh();
    OnFile charge = charged(account);
    Answer any = give(operator, account, key(), 1, "one", null);
    assertThatThrownBy(() ->
            SharedDatabase.jdbc()
                .update(
                    "insert into credit values ('beyond', ?, ?, 'x', ?, 'operator', now(), ?)",
                    account,
                    charge.charge() - charge.discount() + 1,
                    charge.id(),
                    any.body().get("transaction").asLong()))
        .isInstanceOf(DataIntegrityViolationException.class)
        .hasMessageContaining("refund of");
    assertThatThrownBy(
            () -> SharedDatabase.jdbc().update("delete from credit where account = ?", account))
        .rootCause()
        .hasMessageContaining("permission denied");
  }

  @Test
  void anInvalidCreditIsRefusedWithAReason() throws Exception {
    String account = fresh();
    OnFile foreign = charged(fresh());
    assertThat(give(operator, account, key(), 5, "not his", foreign.id()).problem())
        .isEqualTo("invalid-request");
    assertThat(give(operator, account, key(), 5, "  ", null).body().get("detail").asString())
        .contains("reason must say why");
    assertThat(give(operator, account, key(), 0, "nothing", null).problem())
        .isEqualTo("invalid-request");
    assertThat(give(operator, "nobody-here", key(), 5, "x", null).status()).isEqualTo(404);
    assertThat(give(operator, account, key(), 5, "a\\u202eb", null).body().get("detail").asString())
        .endsWith("got U+202E");
    String token = billing.logIn(account, "password-of-" + account);
    assertThat(give(token, account, key(), 5, "for me", null).problem()).isEqualTo("forbidden");
    assertThat(balance(account)).isEqualTo("0");
  }

  @Test
  void topUpsAreListedWithOperatorTimeAndReferencePageByPage() throws Exception {
    String account = fresh();
    for (int i = 1; i <= 5; i++) {
      billing.call(
          "POST",
          "/api/v1/accounts/" + account + "/top-ups",
          operator,
          "{\"amountMicrodenarii\":\"" + i + "\",\"reference\":\"invoice " + i + "\"}",
          Map.of("Idempotency-Key", key()));
    }
    String token = billing.logIn(account, "password-of-" + account);
    String path = "/api/v1/accounts/" + account + "/top-ups?limit=2";
    List<String> references = new ArrayList<>();
    String cursor = "";
    do {
      JsonNode page = billing.get(path + "&cursor=" + cursor, token).body();
      for (JsonNode topUp : page.get("topUps")) {
        references.add(topUp.get("reference").asString());
        assertThat(topUp.get("createdBy").asString()).isEqualTo("operator");
        assertThat(Instant.parse(topUp.get("createdAt").asString())).isNotNull();
      }
      cursor = page.path("next").asString("");
    } while (!cursor.isEmpty());
    assertThat(references)
        .containsExactly("invoice 5", "invoice 4", "invoice 3", "invoice 2", "invoice 1");
  }
}
