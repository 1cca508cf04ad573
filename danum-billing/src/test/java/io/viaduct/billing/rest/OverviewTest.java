package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.mediation.UndecidedReports;
import java.math.BigInteger;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Tests the operator's overview, and verifications in the background.
class OverviewTest {
  // The lock that a run holds.
  private static final int RUNNING_LOCK = 0x7665_7266;

  private static final ManualClock CLOCK = new ManualClock();
  private static RunningBilling billing;
  private static String operator;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    billing = RunningBilling.start(folder, CLOCK);
    operator = billing.operator();
  }

  @AfterAll
  static void stop() {
    billing.close();
  }

  private static JsonNode overview() throws Exception {
    Answer answer = billing.get("/api/v1/overview", operator);
    assertThat(answer.status()).as(answer.raw().body()).isEqualTo(200);
    return answer.body();
  }

  private static String fresh() throws Exception {
    String id = "look-" + UUID.randomUUID().toString().substring(0, 8);
    billing.openAccount(operator, id);
    return id;
  }

  @Test
  void accountsAndReportsThatNeedAttentionAreCounted() throws Exception {
    JsonNode before = overview();
    String account = fresh();
    String version =
        billing
            .get("/api/v1/accounts/" + account + "/credit", operator)
            .raw()
            .headers()
            .firstValue("ETag")
            .orElseThrow();
    billing.call(
        "PUT",
        "/api/v1/accounts/" + account + "/credit/block",
        operator,
        "{\"blocked\":true,\"reason\":\"x\"}",
        Map.of("If-Match", version));
    UndecidedReports.held(account);
    UndecidedReports.unsigned(account);
    JsonNode after = overview();
    assertThat(after.at("/accounts/blocked").asLong())
        .isEqualTo(before.at("/accounts/blocked").asLong() + 1);
    assertThat(after.at("/waiting/held").asLong())
        .isEqualTo(before.at("/waiting/held").asLong() + 1);
    assertThat(after.at("/waiting/unsigned").asLong())
        .isEqualTo(before.at("/waiting/unsigned").asLong() + 1);
    assertThat(after.at("/waiting/lagSeconds").isNumber()).isTrue();
  }

  @Test
  void anOperatorsOwnAccountIsNotCountedAsWithoutCredit() throws Exception {
    long before = overview().at("/accounts/exhausted").asLong();
    String operators = "boss-" + UUID.randomUUID().toString().substring(0, 8);
    billing.post(
        "/api/v1/accounts",
        operator,
        "{\"id\":\"%s\",\"password\":\"password-of-boss\",\"role\":\"operator\"}"
            .formatted(operators));
    String users = fresh();
    SharedDatabase.jdbc()
        .update(
            "update credit_account set state = 'EXHAUSTED' where account in (?, ?)",
            operators,
            users);
    assertThat(overview().at("/accounts/exhausted").asLong()).isEqualTo(before + 1);
    String list = "/api/v1/accounts?state=exhausted&search=";
    assertThat(billing.get(list + operators, operator).body().get("accounts")).isEmpty();
    assertThat(billing.get(list + users, operator).body().get("accounts")).hasSize(1);
  }

  @Test
  void theHoursOfTheLastDayAreSummedOverAllAccounts() throws Exception {
    String account = fresh();
    Instant first = CLOCK.instant().minusSeconds(5 * 3600);
    try {
      var charges = ChargesOnFile.add(account, 40, first.minusSeconds(90 * 3600L), new Random(7));
      long expected =
          charges.stream()
              .filter(c -> !c.start().isBefore(CLOCK.instant().minusSeconds(23 * 3600)))
              .filter(c -> !c.start().isAfter(CLOCK.instant()))
              .mapToLong(c -> c.charge() - c.discount())
              .sum();
      long total = 0;
      for (JsonNode hour : overview().get("hours")) {
        total += hour.get("netMicrodenarii").asLong();
      }
      assertThat(total).isGreaterThanOrEqualTo(expected);
    } finally {
      ChargesOnFile.remove(account);
    }
  }

  @Test
  void aVerificationRunsInTheBackgroundAndItsResultIsKept() throws Exception {
    billing.call(
        "POST",
        "/api/v1/accounts/" + fresh() + "/top-ups",
        operator,
        "{\"amountMicrodenarii\":\"5000000\",\"reference\":\"cash\"}",
        Map.of("Idempotency-Key", UUID.randomUUID().toString()));
    Answer begun = billing.post("/api/v1/ledger/verifications", operator, null);
    assertThat(begun.status()).isEqualTo(202);
    String id = begun.body().get("id").asString();
    await().until(() -> !run(id).path("finishedAt").isNull());
    JsonNode run = run(id);
    assertThat(run.get("done").asInt()).isEqualTo(run.get("total").asInt()).isPositive();
    assertThat(run.get("checks").size()).isEqualTo(run.get("total").asInt());
    assertThat(run.get("holds").asBoolean()).as(run.toString()).isTrue();
    assertThat(run.get("postings").asLong()).isPositive();
    BigInteger sum = BigInteger.ZERO;
    for (JsonNode each : run.get("sums")) {
      sum = sum.add(new BigInteger(each.get("microdenarii").asString()));
    }
    assertThat(sum).isZero();
    assertThat(overview().at("/verification/holds").asBoolean()).isTrue();
    for (int i = 0; i < 3; i++) {
      String next =
          billing.post("/api/v1/ledger/verifications", operator, null).body().get("id").asString();
      await().until(() -> !run(next).path("finishedAt").isNull());
    }
    assertThat(billing.paged("/api/v1/ledger/verifications", operator, "runs", "id"))
        .contains(id)
        .doesNotHaveDuplicates()
        .isSortedAccordingTo(
            Comparator.comparingLong((String each) -> Long.parseLong(each)).reversed());
  }

  private static JsonNode run(String id) throws Exception {
    for (JsonNode run : billing.get("/api/v1/ledger/verifications", operator).body().get("runs")) {
      if (run.get("id").asString().equals(id)) {
        return run;
      }
    }
    throw new AssertionError("no run " + id);
  }

  @Test
  void whileOneRunsItIsAnsweredInsteadOfASecondOne() throws Exception {
    unfinished(CLOCK.instant());
    try {
      JsonNode answer = billing.post("/api/v1/ledger/verifications", operator, null).body();
      assertThat(answer.get("requestedBy").asString()).isEqualTo("other");
      assertThat(answer.get("done").asInt()).isEqualTo(3);
    } finally {
      SharedDatabase.jdbc().update("delete from verification_run where requested_by = 'other'");
    }
  }

  @Test
  void aRunThatWasCutOffWithItsProcessHoldsUpNoOther() throws Exception {
    long id = unfinished(CLOCK.instant().minusSeconds(11));
    String next =
        billing.post("/api/v1/ledger/verifications", operator, null).body().get("id").asString();
    assertThat(next).isNotEqualTo(Long.toString(id));
    JsonNode cutOff = run(Long.toString(id));
    assertThat(cutOff.path("finishedAt").isNull()).isFalse();
    assertThat(cutOff.path("failure").asString()).contains("the process that made it has ended");
    await().until(() -> !run(next).path("finishedAt").isNull());
  }

  @Test
  void aLongRunWhoseProcessLivesIsNotTakenForOneThatWasCutOff() throws Exception {
    long id = unfinished(CLOCK.instant().minusSeconds(7200));
    try (Connection process =
            Objects.requireNonNull(SharedDatabase.jdbc().getDataSource()).getConnection();
        Statement statement = process.createStatement()) {
      process.setAutoCommit(false);
      statement.execute("select pg_advisory_xact_lock(%d, %d)".formatted(RUNNING_LOCK, id));
      JsonNode answer = billing.post("/api/v1/ledger/verifications", operator, null).body();
      assertThat(answer.get("id").asString()).isEqualTo(Long.toString(id));
    } finally {
      SharedDatabase.jdbc().update("delete from verification_run where id = ?", id);
    }
  }

  /// Writes a run that another process has begun, and returns its id.
  private static long unfinished(Instant startedAt) {
    await().until(() -> none("finished_at is null"));
    return Objects.requireNonNull(
        SharedDatabase.jdbc()
            .queryForObject(
                "insert into verification_run (requested_by, started_at, done, total)"
                    + " values ('other', ?, 3, 17) returning id",
                Long.class,
                Timestamp.from(startedAt)));
  }

  private static boolean none(String condition) {
    return SharedDatabase.jdbc()
        .queryForList("select id from verification_run where " + condition)
        .isEmpty();
  }
}
