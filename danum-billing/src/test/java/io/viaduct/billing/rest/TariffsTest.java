package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.billing.tariff.TariffDocument;
import io.viaduct.billing.tariff.TariffDrafts;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Tariffs over REST: the work of an operator from a draft to a version.
class TariffsTest {
  private static final ManualClock CLOCK = new ManualClock();
  private static final String DOCUMENT = TariffDocument.print(SeedTariff.read());

  /// Far ahead, so that no other test of this database uses the versions.
  private static final Duration FAR = Duration.ofDays(365L * 60);

  private static RunningBilling billing;
  private static String operator;
  private static DescribedAnswers described;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    billing = RunningBilling.start(folder, CLOCK);
    operator = billing.operator();
    described = new DescribedAnswers(billing);
  }

  @AfterAll
  static void stop() {
    billing.close();
  }

  private static String etag(Answer answer) {
    return answer.raw().headers().firstValue("ETag").orElseThrow();
  }

  private static Answer send(String method, String path, String body, String ifMatch)
      throws Exception {
    Answer answer =
        billing.call(
            method,
            "/api/v1" + path,
            operator,
            body,
            ifMatch == null ? Map.of() : Map.of("If-Match", ifMatch));
    assertThat(described.difference(method, "/api/v1" + path, answer))
        .as("%s %s against the OpenAPI description", method, path)
        .isEmpty();
    return answer;
  }

  private static Instant far() {
    return CLOCK.instant().plus(FAR);
  }

  @Test
  void aVersionIsStoredOnlyOnceFromTheSameListAndHasItsValidity() throws Exception {
    String seen = etag(billing.get("/api/v1/tariffs", operator));
    String body = "{\"effectiveFrom\":\"%s\",\"tariff\":%s}".formatted(far(), DOCUMENT);
    List<Callable<Answer>> both =
        List.of(
            () -> send("POST", "/tariffs", body, seen), () -> send("POST", "/tariffs", body, seen));
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Integer> outcomes =
          threads.invokeAll(both).stream()
              .map(answer -> answer.resultNow().status())
              .sorted()
              .toList();
      assertThat(outcomes).containsExactly(201, 412);
    }
    Answer unseen = send("POST", "/tariffs", body, null);
    assertThat(unseen.status()).as("without If-Match").isEqualTo(428);
    assertThat(unseen.problem()).isEqualTo("version-required");
    Answer list = billing.get("/api/v1/tariffs", operator);
    assertThat(etag(list)).isNotEqualTo(seen);
    JsonNode last = list.body().get("tariffs").get(list.body().get("tariffs").size() - 1);
    assertThat(last.get("state").asString()).isEqualTo("scheduled");
    JsonNode one = billing.get("/api/v1/tariffs/" + last.get("version").asInt(), operator).body();
    assertThat(one).isEqualTo(last);
    assertThat(billing.get("/api/v1/tariffs/0", operator).status()).isEqualTo(404);
    assertThat(billing.get("/api/v1/tariffs/x", operator).status()).isEqualTo(404);
  }

  @Test
  void anOlderVersionIsRolledBackToAsANewOne() throws Exception {
    JsonNode first = billing.get("/api/v1/tariffs/1", operator).body();
    Answer again =
        send(
            "POST",
            "/tariffs",
            "{\"effectiveFrom\":\"%s\",\"tariff\":%s}".formatted(far(), first.get("tariff")),
            etag(billing.get("/api/v1/tariffs", operator)));
    assertThat(again.status()).isEqualTo(201);
    int version = again.body().get("version").asInt();
    assertThat(version).isGreaterThan(1);
    assertThat(
            send("POST", "/tariffs/diff", "{\"from\":1,\"to\":%d}".formatted(version), null)
                .body()
                .get("changes")
                .size())
        .isZero();
  }

  @Test
  void aDraftIsCheckedByBillingsOwnRulesWithPlaceKnotAndRule() throws Exception {
    Answer good = send("POST", "/tariffs/check", "{\"tariff\":%s}".formatted(DOCUMENT), null);
    assertThat(good.status()).isEqualTo(200);
    assertThat(good.body().at("/tariff/document-version").asInt()).isEqualTo(2);
    String rising = DOCUMENT.replaceFirst("\\[2\\.0,0\\.15]", "[2.0,0.9]");
    assertThat(rising).isNotEqualTo(DOCUMENT);
    Answer bad = send("POST", "/tariffs/check", "{\"tariff\":%s}".formatted(rising), null);
    assertThat(bad.status()).isEqualTo(422);
    assertThat(bad.body().get("rule").asString()).isEqualTo("NON_INCREASING");
    assertThat(bad.body().get("place").asString()).isEqualTo("classes.LT_LD.throughput-marginal");
    assertThat(bad.body().get("knot").asInt()).isEqualTo(3);
    assertThat(bad.body().get("detail").asString()).contains("knot 3 (2.0)", "must not exceed 0.5");
    Answer refused =
        send(
            "POST",
            "/tariffs",
            "{\"effectiveFrom\":\"%s\",\"tariff\":%s}".formatted(far(), rising),
            null);
    assertThat(refused.status()).isEqualTo(422);
    assertThat(refused.body().get("place").asString())
        .isEqualTo("classes.LT_LD.throughput-marginal");
    assertThat(refused.body().get("knot").asInt()).isEqualTo(3);
  }

  @Test
  void aDraftIsKeptAsWrittenAlsoIfItBreaksRulesAndNobodyOverwritesIt() throws Exception {
    Answer begun = send("POST", "/tariff-drafts", "{\"name\":\"summer\",\"basedOn\":1}", null);
    assertThat(begun.status()).isEqualTo(201);
    String path = "/tariff-drafts/" + begun.body().get("id").asString();
    assertThat(
            send(
                    "POST",
                    "/tariffs/diff",
                    "{\"from\":1,\"tariff\":%s}".formatted(begun.body().get("tariff")),
                    null)
                .body()
                .get("changes")
                .size())
        .isZero();
    String broken = "{\"name\":\"summer 2\",\"tariff\":{\"classes\":\"not yet\"}}";
    assertThat(send("PUT", path, broken, null).status()).isEqualTo(428);
    Answer saved = send("PUT", path, broken, etag(begun));
    assertThat(saved.status()).isEqualTo(200);
    Answer lost = send("PUT", path, "{\"name\":\"x\",\"tariff\":{}}", etag(begun));
    assertThat(lost.status()).isEqualTo(412);
    Answer read = send("GET", path, null, null);
    assertThat(read.body().at("/tariff/classes").asString()).isEqualTo("not yet");
    assertThat(read.body().get("name").asString()).isEqualTo("summer 2");
    assertThat(etag(read)).isEqualTo(etag(saved));
    assertThat(send("DELETE", path, null, null).status()).isEqualTo(204);
    assertThat(send("GET", path, null, null).status()).isEqualTo(404);
    assertThat(send("PUT", path, broken, etag(saved)).status()).isEqualTo(404);
  }

  @Test
  void draftsBelongToOneOperatorAndTheirNumberIsLimited() throws Exception {
    String other = "op-" + UUID.randomUUID().toString().substring(0, 8);
    Answer opened =
        billing.post(
            "/api/v1/accounts",
            operator,
            "{\"id\":\"%s\",\"password\":\"password-of-op\",\"role\":\"operator\"}"
                .formatted(other));
    assertThat(opened.status()).isEqualTo(201);
    String token = billing.logIn(other, "password-of-op");
    String id = "";
    for (int i = 0; i < TariffDrafts.DRAFTS_MAX; i++) {
      Answer made =
          billing.post(
              "/api/v1/tariff-drafts", token, "{\"name\":\"d%d\",\"basedOn\":1}".formatted(i));
      assertThat(made.status()).isEqualTo(201);
      id = made.body().get("id").asString();
    }
    Answer tooMany =
        billing.post("/api/v1/tariff-drafts", token, "{\"name\":\"more\",\"basedOn\":1}");
    assertThat(tooMany.status()).isEqualTo(409);
    assertThat(tooMany.problem()).isEqualTo("too-many-drafts");
    assertThat(billing.get("/api/v1/tariff-drafts", token).body().get("drafts").size())
        .isEqualTo(TariffDrafts.DRAFTS_MAX);
    assertThat(send("GET", "/tariff-drafts/" + id, null, null).status()).isEqualTo(404);
    assertThat(send("DELETE", "/tariff-drafts/" + id, null, null).status()).isEqualTo(404);
  }

  @Test
  void wrongRequestsAreRefusedWithValueAndRule() throws Exception {
    String[][] cases = {
      {"/tariffs/diff", "{\"from\":1}", "give either 'to' or 'tariff'"},
      {"/tariff-drafts", "{\"name\":\" \",\"basedOn\":1}", "name must have 1 to 64 characters"},
      {
        "/tariffs/simulate",
        "{\"tariff\":%s,\"from\":\"2026-01-02T00:00:00Z\",\"to\":\"2026-01-01T00:00:00Z\"}"
            .formatted(DOCUMENT),
        "from must be before to, by at most 31 days"
      },
      {
        "/tariffs/simulate",
        "{\"tariff\":%s,\"from\":\"2026-01-01T00:00:00Z\",\"to\":\"2026-03-01T00:00:00Z\"}"
            .formatted(DOCUMENT),
        "by at most 31 days"
      },
    };
    for (String[] one : cases) {
      Answer answer = send("POST", one[0], one[1], null);
      assertThat(answer.status()).as(one[1]).isEqualTo(400);
      assertThat(answer.body().get("detail").asString()).contains(one[2]);
    }
    assertThat(send("POST", "/tariff-drafts", "{\"name\":\"x\",\"basedOn\":0}", null).status())
        .isEqualTo(404);
  }
}
