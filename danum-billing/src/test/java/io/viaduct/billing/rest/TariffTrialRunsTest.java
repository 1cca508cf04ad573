package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.billing.tariff.TariffDocument;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Trials of tariffs in the background, over REST.
class TariffTrialRunsTest {
  private static final String TRIALS = "/api/v1/tariff-trials";
  private static final Instant FIRST = Instant.parse("2072-01-01T00:00:00Z");
  private static final Instant LAST = FIRST.plus(Duration.ofDays(31));

  private static RunningBilling billing;
  private static String operator;
  private static String account;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    billing = RunningBilling.start(folder, new ManualClock());
    operator = billing.operator();
    account = "trials-" + UUID.randomUUID().toString().substring(0, 8);
    billing.openAccount(operator, account);
    ChargesOnFile.add(account, 300, FIRST, new Random(45));
  }

  @AfterAll
  static void stop() {
    ChargesOnFile.remove(account);
    billing.close();
  }

  private static String order(String tariff) {
    return "{%s,\"name\":\"summer\",\"from\":\"%s\",\"to\":\"%s\",\"account\":\"%s\"}"
        .formatted(tariff, FIRST, LAST, account);
  }

  private static String document() {
    return "\"tariff\":" + TariffDocument.print(SeedTariff.read());
  }

  private static JsonNode ended(String id) {
    return await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> billing.get(TRIALS + "/" + id, operator).body(),
            run -> !run.get("state").asString().equals("running"));
  }

  @Test
  void itGivesWhatTheSimulationGivesAndStaysReadable() throws Exception {
    Answer begun = billing.post(TRIALS, operator, order(document()));
    assertThat(begun.status()).as("%s", begun.body()).isEqualTo(202);
    JsonNode run = ended(begun.body().get("id").asString());
    assertThat(run.get("state").asString()).as("%s", run).isEqualTo("done");
    assertThat(run.get("coveredTo").asString()).isEqualTo(LAST.toString());
    assertThat(run.at("/trial/total/charges").asLong()).isGreaterThanOrEqualTo(300);
    JsonNode preview =
        billing
            .post(
                "/api/v1/reratings/preview",
                operator,
                "{\"tariffVersion\":1,\"from\":\"%s\",\"to\":\"%s\",\"account\":\"%s\"}"
                    .formatted(FIRST, LAST, account))
            .body();
    assertThat(run.at("/trial/total")).isEqualTo(preview.get("total"));
    assertThat(run.at("/trial/groups")).isEqualTo(preview.get("groups"));
    assertThat(run.at("/trial/changes")).isEqualTo(preview.get("changes"));
    assertThat(billing.get(TRIALS, operator).body().at("/runs/0/name").asString())
        .isEqualTo("summer");
  }

  @Test
  void aRunThatGoesOnRefusesTheNextOneAndCanBeStopped() throws Exception {
    long other =
        SharedDatabase.client()
            .sql(
                "insert into tariff_trial (requested_by, name, from_at, to_at, started_at, covered_to)"
                    + " values ('olga', '', 'epoch', now(), now() + interval '1 hour', 'epoch') returning id")
            .query(Long.class)
            .single();
    Answer busy = billing.post(TRIALS, operator, order("\"tariffVersion\":1"));
    assertThat(busy.status()).isEqualTo(503);
    assertThat(busy.body().get("detail").asString()).contains("trial " + other + " is running");
    assertThat(billing.post(TRIALS + "/" + other + "/stop", operator, "{}").status())
        .isEqualTo(200);
    assertThat(
            SharedDatabase.client()
                .sql("select stopped from tariff_trial where id = ?")
                .param(other)
                .query(Boolean.class)
                .single())
        .isTrue();
    SharedDatabase.client().sql("delete from tariff_trial where id = ?").param(other).update();
  }

  @Test
  void aRunWhoseProcessHasDiedEndsWithTheReasonWhenTheNextOneBegins() throws Exception {
    long lost =
        SharedDatabase.client()
            .sql(
                "insert into tariff_trial (requested_by, name, from_at, to_at, started_at, covered_to)"
                    + " values ('olga', '', 'epoch', now(), 'epoch', 'epoch') returning id")
            .query(Long.class)
            .single();
    Answer begun = billing.post(TRIALS, operator, order("\"tariffVersion\":1"));
    assertThat(begun.status()).as("%s", begun.body()).isEqualTo(202);
    JsonNode dead = billing.get(TRIALS + "/" + lost, operator).body();
    assertThat(dead.get("state").asString()).isEqualTo("failed");
    assertThat(dead.get("failure").asString()).startsWith("cut off");
    ended(begun.body().get("id").asString());
  }

  @Test
  void whatIsWrongInAnOrderIsNamed() throws Exception {
    for (String wrong :
        new String[] {
          order("\"tariffVersion\":1," + document()),
          order("\"tariffVersion\":4711"),
          "{\"tariffVersion\":1,\"from\":\"%s\",\"to\":\"%s\"}".formatted(LAST, FIRST),
          "{\"tariffVersion\":1,\"from\":\"2072-01-01T00:00:00Z\",\"to\":\"2072-03-01T00:00:00Z\"}"
        }) {
      Answer answer = billing.post(TRIALS, operator, wrong);
      assertThat(answer.status()).as("%s: %s", wrong, answer.body()).isEqualTo(400);
      assertThat(answer.body().get("detail").asString()).isNotBlank();
    }
  }
}
