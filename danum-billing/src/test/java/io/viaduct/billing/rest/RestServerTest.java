package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.billing.SharedDatabase;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import tools.jackson.databind.JsonNode;

class RestServerTest {
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

  private static String fresh(String name) throws Exception {
    String id = name + "-" + UUID.randomUUID().toString().substring(0, 8);
    billing.openAccount(operator, id);
    return id;
  }

  private static String userToken(String id) throws Exception {
    return billing.logIn(id, "password-of-" + id);
  }

  private static Answer topUp(String token, String id, String key, String amount) throws Exception {
    return billing.call(
        "POST",
        "/api/v1/accounts/" + id + "/top-ups",
        token,
        "{\"amountMicrodenarii\":\"" + amount + "\",\"reference\":\"cash\"}",
        Map.of("Idempotency-Key", key));
  }

  @Test
  void aWrongPasswordIsRefusedCountedAndThrottledUntilTimePasses() throws Exception {
    String id = fresh("carol");
    double before = billing.counter("viaduct_logins_total{outcome=\"wrong_password\"}");
    String wrong = "{\"user\":\"" + id + "\",\"password\":\"not-the-password\"}";
    for (int i = 0; i < 5; i++) {
      Answer answer = billing.post("/api/v1/sessions", null, wrong);
      assertThat(answer.status()).isEqualTo(401);
      assertThat(answer.problem()).isEqualTo("wrong-password");
    }
    assertThat(billing.counter("viaduct_logins_total{outcome=\"wrong_password\"}"))
        .isEqualTo(before + 5);
    String right = "{\"user\":\"%s\",\"password\":\"password-of-%s\"}".formatted(id, id);
    Answer throttled = billing.post("/api/v1/sessions", null, right);
    assertThat(throttled.status()).isEqualTo(429);
    assertThat(throttled.problem()).isEqualTo("too-many-attempts");
    assertThat(throttled.raw().headers().firstValue("Retry-After")).isPresent();
    CLOCK.advance(Duration.ofSeconds(31));
    assertThat(billing.post("/api/v1/sessions", null, right).status()).isEqualTo(201);
  }

  private static Answer logInFrom(String source, String id, String password, String knownBrowser)
      throws Exception {
    String mark = knownBrowser.isEmpty() ? "" : ",\"knownBrowser\":\"" + knownBrowser + "\"";
    return billing.call(
        "POST",
        "/api/v1/sessions",
        null,
        "{\"user\":\"%s\",\"password\":\"%s\"%s}".formatted(id, password, mark),
        Map.of("X-Forwarded-For", source));
  }

  @ParameterizedTest
  @ValueSource(strings = {"balance", "help", "Report"})
  void theSipAddressesOfServicesAreNoNamesOfAccounts(String name) throws Exception {
    Answer refused =
        billing.post(
            "/api/v1/accounts",
            operator,
            "{\"id\":\"%s\",\"password\":\"password-of-one\",\"role\":\"user\"}".formatted(name));
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.raw().body()).contains("is the SIP address of a service");
    assertThat(billing.get("/api/v1/accounts/" + name, operator).status()).isEqualTo(404);
  }

  @Test
  void parallelGuessesNeverExceedTheLimit() throws Exception {
    String id = fresh("parallel");
    double before = billing.counter("viaduct_logins_total{outcome=\"wrong_password\"}");
    List<Future<Integer>> statuses = new ArrayList<>();
    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 120; i++) {
        statuses.add(
            executor.submit(() -> logInFrom("198.51.100.7", id, "not-the-password", "").status()));
      }
    }
    int judged = 0;
    for (Future<Integer> status : statuses) {
      assertThat(status.get()).isIn(401, 429);
      judged += status.get() == 401 ? 1 : 0;
    }
    assertThat(judged).isEqualTo(5);
    assertThat(billing.counter("viaduct_logins_total{outcome=\"wrong_password\"}"))
        .isEqualTo(before + 5);
  }

  @Test
  void wrongPasswordsFromElsewhereLockNobodyOutAndAKnownBrowserIsNeverRefused() throws Exception {
    String id = fresh("dave");
    String right = "password-of-" + id;
    String mark = logInFrom("192.0.2.1", id, right, "").body().get("knownBrowser").asString();
    for (int i = 0; i < 20; i++) {
      logInFrom("198.51.100.8", id, "not-the-password", "");
    }
    assertThat(logInFrom("198.51.100.8", id, right, "").status()).isEqualTo(429);
    assertThat(logInFrom("192.0.2.2", id, right, "").status()).isEqualTo(201);
    assertThat(logInFrom("198.51.100.8", id, right, mark).status())
        .as("the same address, a known browser")
        .isEqualTo(201);
    assertThat(logInFrom("198.51.100.8", id, right, "x" + mark.substring(1)).status())
        .as("a forged mark")
        .isEqualTo(429);
    String other = fresh("erin");
    assertThat(logInFrom("198.51.100.8", other, "not-the-password", mark).status())
        .as("a mark of another name is none")
        .isEqualTo(401);
  }

  @Test
  void aLogInReplacesTheHashOfAnEarlierVersion() throws Exception {
    String id = fresh("early");
    SharedDatabase.jdbc()
        .update(
            "update account set password_hash = ? where id = ?",
            new BCryptPasswordEncoder(4).encode("password-of-" + id),
            id);
    assertThat(logInFrom("192.0.2.3", id, "not-the-password", "").status()).isEqualTo(401);
    assertThat(hash(id)).startsWith("$2");
    userToken(id);
    String renewed = hash(id);
    assertThat(renewed).startsWith("$argon2id$");
    userToken(id);
    assertThat(hash(id)).as("renewed once").isEqualTo(renewed);
  }

  private static String hash(String id) {
    return SharedDatabase.jdbc()
        .queryForObject("select password_hash from account where id = ?", String.class, id);
  }

  @Test
  void anUnknownUserIsAnsweredLikeAWrongPassword() throws Exception {
    Answer answer =
        billing.post(
            "/api/v1/sessions", null, "{\"user\":\"nobody-here\",\"password\":\"whatever-it-is\"}");
    assertThat(answer.status()).isEqualTo(401);
    assertThat(answer.problem()).isEqualTo("wrong-password");
  }

  @Test
  void everyResourceNeedsAValidToken() throws Exception {
    for (String path :
        new String[] {"/api/v1/accounts", "/api/v1/tariffs", "/api/v1/ledger/verification"}) {
      assertThat(billing.get(path, null).problem()).isEqualTo("unauthenticated");
      assertThat(billing.get(path, "forged").problem()).isEqualTo("unauthenticated");
    }
  }

  @Test
  void anExpiredOrEndedTokenIsRefused() throws Exception {
    String id = fresh("dave");
    String ended = userToken(id);
    assertThat(billing.call("DELETE", "/api/v1/sessions/current", ended, null, Map.of()).status())
        .isEqualTo(204);
    assertThat(billing.get("/api/v1/accounts/" + id, ended).status()).isEqualTo(401);

    String expired = userToken(id);
    assertThat(billing.get("/api/v1/accounts/" + id, expired).status()).isEqualTo(200);
    CLOCK.advance(Duration.ofHours(12).plusSeconds(1));
    assertThat(billing.get("/api/v1/accounts/" + id, expired).status()).isEqualTo(401);
    operator = billing.operator();
  }

  @Test
  void aUserSeesOnlyOwnDataAndAnOperatorEverything() throws Exception {
    String alice = fresh("alice");
    String mallory = fresh("mallory");
    String token = userToken(mallory);
    for (String what : new String[] {"", "/balance", "/charges", "/postings", "/events"}) {
      assertThat(billing.get("/api/v1/accounts/" + alice + what, token).status())
          .as(what)
          .isEqualTo(404);
    }
    assertThat(billing.get("/api/v1/accounts", token).problem()).isEqualTo("forbidden");
    assertThat(topUp(token, mallory, "k", "1000000").problem()).isEqualTo("forbidden");
    assertThat(billing.get("/api/v1/reports/refused", token).status()).isEqualTo(403);
    assertThat(billing.get("/api/v1/reports/gaps", token).status()).isEqualTo(403);
    assertThat(billing.get("/api/v1/ledger/verification", token).status()).isEqualTo(403);
    assertThat(billing.post("/api/v1/tariffs", token, tariff("{}")).status()).isEqualTo(403);
    assertThat(billing.get("/api/v1/accounts/" + mallory + "/balance", token).status())
        .isEqualTo(200);
    assertThat(billing.get("/api/v1/accounts/" + alice + "/balance", operator).status())
        .isEqualTo(200);
  }

  @Test
  void aTopUpIsPostedOnceForItsKey() throws Exception {
    String id = fresh("erin");
    String key = UUID.randomUUID().toString();
    Answer first = topUp(operator, id, key, "5000000");
    assertThat(first.status()).isEqualTo(201);
    Answer again = topUp(operator, id, key, "5000000");
    assertThat(again.status()).isEqualTo(200);
    assertThat(again.body()).isEqualTo(first.body());
    assertThat(topUp(operator, id, key, "5000001").problem()).isEqualTo("idempotency-key-reused");
    assertThat(topUp(operator, fresh("other"), key, "5000000").status()).isEqualTo(409);
    Answer balance = billing.get("/api/v1/accounts/" + id + "/balance", operator);
    assertThat(balance.body().get("postedMicrodenarii").asString()).isEqualTo("5000000");
    assertThat(balance.body().get("availableMicrodenarii").asString()).isEqualTo("5000000");
    Answer postings = billing.get("/api/v1/accounts/" + id + "/postings", operator);
    assertThat(postings.body().get("postings")).hasSize(1);
    assertThat(postings.body().at("/postings/0/kind").asString()).isEqualTo("TOP_UP");
  }

  @Test
  void aTopUpWithoutKeyOrWithABadAmountIsRefused() throws Exception {
    String id = fresh("frank");
    assertThat(
            billing
                .post(
                    "/api/v1/accounts/" + id + "/top-ups",
                    operator,
                    "{\"amountMicrodenarii\":\"1\",\"reference\":\"\"}")
                .status())
        .isEqualTo(400);
    for (String amount : new String[] {"0", "-5", "1.5", "x", "", "1000000000000001"}) {
      assertThat(topUp(operator, id, "bad", amount).problem())
          .as(amount)
          .isEqualTo("invalid-request");
    }
    assertThat(topUp(operator, "nobody-here", "k", "1").status()).isEqualTo(404);
  }

  @Test
  void accountsAreOpenedOnceAndListedPageByPage() throws Exception {
    String id = fresh("grace");
    Answer again =
        billing.post(
            "/api/v1/accounts",
            operator,
            "{\"id\":\"" + id + "\",\"password\":\"long-enough\",\"role\":\"user\"}");
    assertThat(again.problem()).isEqualTo("account-exists");
    String cursor = "";
    int pages = 0;
    boolean found = false;
    do {
      Answer page = billing.get("/api/v1/accounts?limit=2&cursor=" + cursor, operator);
      assertThat(page.body().get("accounts").size()).isBetween(1, 2);
      found |= page.body().get("accounts").toString().contains(id);
      cursor = page.body().path("next").asString("");
      pages++;
    } while (!cursor.isEmpty() && pages < 1000);
    assertThat(found).isTrue();
  }

  @Test
  void anInvalidBodyIsRefusedWithoutRepeatingIt() throws Exception {
    Answer unknownKey =
        billing.post(
            "/api/v1/sessions", null, "{\"user\":\"a\",\"password\":\"b\",\"admin\":true}");
    assertThat(unknownKey.status()).isEqualTo(400);
    assertThat(unknownKey.body().get("detail").asString())
        .isEqualTo("unknown key 'admin'; known keys: knownBrowser, password, user");
    Answer missing = billing.post("/api/v1/sessions", null, "{\"user\":\"a\"}");
    assertThat(missing.body().get("detail").asString()).contains("'password' is missing");
    Answer garbage = billing.post("/api/v1/sessions", null, "{\"user\":hunter2");
    assertThat(garbage.status()).isEqualTo(400);
    assertThat(garbage.raw().body()).doesNotContain("hunter2");
    Answer huge =
        billing.post(
            "/api/v1/sessions",
            null,
            "{\"user\":\"" + "x".repeat(300_000) + "\",\"password\":\"\"}");
    assertThat(huge.status()).isEqualTo(413);
    Answer weak =
        billing.post(
            "/api/v1/accounts",
            operator,
            "{\"id\":\"weak\",\"password\":\"short\",\"role\":\"user\"}");
    assertThat(weak.body().get("detail").asString()).contains("at least 8");
    assertThat(billing.get("/api/v1/nothing", operator).status()).isEqualTo(404);
    assertThat(billing.get("/api/v1/accounts?limit=0", operator).status()).isEqualTo(400);
    assertThat(billing.get("/api/v1/charges/1e9", operator).status()).isEqualTo(404);
  }

  private static String tariff(String tariff) {
    return "{\"effectiveFrom\":\"%s\",\"tariff\":%s}"
        .formatted(CLOCK.instant().plus(Duration.ofDays(3650)), tariff);
  }

  private static Answer newTariff(String body) throws Exception {
    String path = "/api/v1/tariffs";
    return billing.call(
        "POST", path, operator, body, Map.of("If-Match", billing.tag(path, operator)));
  }

  @Test
  void aTariffIsStoredAsANewVersionOrRefusedWithItsKnot() throws Exception {
    String current =
        billing.get("/api/v1/tariffs/current", operator).body().get("tariff").toString();
    Answer stored = newTariff(tariff(current));
    assertThat(stored.status()).isEqualTo(201);
    assertThat(stored.body().get("tariff").toString()).isEqualTo(current);
    assertThat(billing.get("/api/v1/tariffs", operator).body().get("tariffs").size())
        .isGreaterThan(1);
    Answer refused = newTariff(tariff(current.replace("[1.0,0.5]", "[1.0,9.5]")));
    assertThat(refused.status()).isEqualTo(422);
    assertThat(refused.problem()).isEqualTo("tariff-refused");
    assertThat(refused.body().get("rule").asString()).isEqualTo("NON_INCREASING");
    assertThat(refused.body().get("detail").asString()).contains("knot");
    Answer past =
        newTariff("{\"effectiveFrom\":\"2020-01-01T00:00:00Z\",\"tariff\":" + current + "}");
    assertThat(past.body().get("rule").asString()).isEqualTo("EFFECTIVE_FROM_PAST");
  }

  @Test
  void aSurchargeIsStoredAsANewVersionOrRefusedWithItsPlace() throws Exception {
    String owner = fresh("acme");
    String path = "/api/v1/owners/" + owner + "/surcharges";
    String body =
        "{\"effectiveFrom\":\"%s\",\"surcharge\":{\"denarii-per-megabyte\":{\"HT_HD\":%s}}}";
    Instant later = CLOCK.instant().plus(Duration.ofDays(1));
    assertThat(billing.post(path, operator, body.formatted(later, "0.25")).status()).isEqualTo(201);
    assertThat(billing.post(path, operator, body.formatted(later, "0.5")).status()).isEqualTo(201);
    Map<String, String> known = billing.ifMatch(path, operator);
    assertThat(billing.call("POST", path, operator, body.formatted(later, "0.6"), known).status())
        .isEqualTo(201);
    assertThat(billing.call("POST", path, operator, body.formatted(later, "0.7"), known).problem())
        .isEqualTo("changed-meanwhile");
    JsonNode stored = billing.get(path, userToken(owner)).body().get("surcharges");
    assertThat(stored).hasSize(3);
    assertThat(stored.get(1).get("version").asInt()).isEqualTo(2);
    assertThat(stored.get(1).at("/surcharge/denarii-per-megabyte/HT_HD").asDouble()).isEqualTo(0.5);
    Answer refused = billing.post(path, operator, body.formatted(later, "-1"));
    assertThat(refused.status()).isEqualTo(422);
    assertThat(refused.body().get("detail").asString()).contains("denarii-per-megabyte.HT_HD");
    assertThat(billing.post(path, userToken(owner), body.formatted(later, "1")).status())
        .isEqualTo(403);
    assertThat(billing.get("/api/v1/owners/a%20b/surcharges", operator).status()).isEqualTo(400);
  }

  @Test
  void aTopUpArrivesOnAnOpenEventStream() throws Exception {
    String id = fresh("heidi");
    HttpResponse<java.util.stream.Stream<String>> stream =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(billing.uri("/api/v1/accounts/" + id + "/events"))
                    .header("Authorization", "Bearer " + userToken(id))
                    .build(),
                HttpResponse.BodyHandlers.ofLines());
    try (java.util.stream.Stream<String> lines = stream.body()) {
      var iterator = lines.iterator();
      assertThat(next(iterator, "data:")).contains("\"postedMicrodenarii\":\"0\"");
      Answer posted = topUp(operator, id, UUID.randomUUID().toString(), "7");
      assertThat(posted.status()).isEqualTo(201);
      // The notice of low credit may come before it.
      String told = next(iterator, "data:");
      while (!told.contains("postedMicrodenarii")) {
        told = next(iterator, "data:");
      }
      assertThat(told).contains("\"postedMicrodenarii\":\"7\"");
    }
  }

  private static String next(java.util.Iterator<String> lines, String prefix) {
    while (lines.hasNext()) {
      String line = lines.next();
      if (line.startsWith(prefix)) {
        return line;
      }
    }
    throw new AssertionError("the stream ended");
  }

  @Test
  void theLedgerIsVerifiedOnRequest() throws Exception {
    Answer answer = billing.get("/api/v1/ledger/verification", operator);
    assertThat(answer.body().get("holds").asBoolean()).as(answer.raw().body()).isTrue();
    assertThat(answer.body().get("checks").size()).isEqualTo(30);
  }

  @Test
  void everyRefusalIsCountedByItsType() throws Exception {
    String line = "viaduct_requests_refused_total{reason=\"unauthenticated\"}";
    double before = billing.counter(line);
    billing.get("/api/v1/tariffs", "forged");
    assertThat(billing.counter(line)).isEqualTo(before + 1);
  }
}
