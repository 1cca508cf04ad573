package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.billing.SharedDatabase;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

class TokensTest {
  private static final int REQUESTS = 200;
  private static final ManualClock CLOCK = new ManualClock();
  private static RunningBilling billing;

  private final String alice = "holder-" + UUID.randomUUID().toString().substring(0, 8);
  private String operator;
  private String login;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    billing =
        RunningBilling.start(
            folder, CLOCK, "rate-limit: {requests: " + REQUESTS + ", period: 20s}");
  }

  @AfterAll
  static void stop() {
    billing.close();
  }

  @BeforeEach
  void openAccount() throws Exception {
    operator = billing.operator();
    billing.openAccount(operator, alice);
    login = billing.logIn(alice, "password-of-" + alice);
  }

  private Answer make(String account, String by, String scopes) throws Exception {
    return billing.post(
        "/api/v1/accounts/" + account + "/tokens",
        by,
        "{\"name\":\"reader\",\"scopes\":[%s],\"expiresAt\":\"%s\"}"
            .formatted(scopes, CLOCK.instant().plus(Duration.ofDays(30))));
  }

  private String token(String account, String by, String scopes) throws Exception {
    Answer made = make(account, by, scopes);
    assertThat(made.status()).as(made.raw().body()).isEqualTo(201);
    return made.body().get("token").asString();
  }

  private JsonNode listed() throws Exception {
    return billing.get("/api/v1/accounts/" + alice + "/tokens", login).body().get("tokens").get(0);
  }

  @Test
  void aTokenIsShownOnceAndOnlyItsDigestIsStored() throws Exception {
    String token = token(alice, login, "\"read\"");
    assertThat(token).matches("vdt_[A-Za-z0-9_-]{43}");
    Answer list = billing.get("/api/v1/accounts/" + alice + "/tokens", login);
    assertThat(list.raw().body()).doesNotContain(token);
    String rows =
        SharedDatabase.jdbc()
            .queryForObject(
                "select string_agg(t::text, ',') from api_token t where account = ?",
                String.class,
                alice);
    assertThat(rows).doesNotContain(token).doesNotContain(token.substring(4));
  }

  @Test
  void itsLastUseIsListed() throws Exception {
    String token = token(alice, login, "\"read\"");
    assertThat(listed().get("lastUsedAt").isNull()).isTrue();
    CLOCK.advance(Duration.ofMinutes(5));
    assertThat(billing.get("/api/v1/accounts/" + alice + "/balance", token).status())
        .isEqualTo(200);
    assertThat(listed().get("lastUsedAt").asString())
        .startsWith(CLOCK.instant().toString().substring(0, 19));
  }

  @Test
  void aTokenHasNoMoreRightsThanItsAccount() throws Exception {
    String token = token(alice, login, "\"read\",\"accounts\",\"money\",\"reports\"");
    assertThat(billing.get("/api/v1/overview", token).problem()).isEqualTo("forbidden");
    assertThat(billing.get("/api/v1/accounts/operator/balance", token).status()).isEqualTo(404);
    assertThat(billing.post("/api/v1/accounts/" + alice + "/top-ups", token, "{}").problem())
        .isEqualTo("forbidden");
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /balance, read",
    "POST, /top-ups, money",
    "POST, /credits, money",
    "POST, /grants, money",
    "PUT, /allowance, money",
    "PUT, /credit/limit, accounts",
    "PUT, /credit/block, accounts",
    "PATCH, '', accounts"
  })
  void aTokenReachesOnlyItsScopes(String method, String path, String scope) throws Exception {
    String of = "/api/v1/accounts/" + alice + path;
    String body = method.equals("GET") ? null : "{}";
    for (Scopes each : Scopes.values()) {
      String token = token("operator", operator, "\"" + each + "\"");
      Answer answer = billing.call(method, of, token, body, Map.of());
      assertThat(answer.problem().equals("forbidden"))
          .as("%s with %s: %s", path, each, answer.raw().body())
          .isEqualTo(!each.toString().equals(scope));
      revoke("operator", operator);
    }
  }

  private enum Scopes {
    read,
    accounts,
    money,
    tariffs,
    snapts,
    reports
  }

  private void revoke(String account, String by) throws Exception {
    String path = "/api/v1/accounts/" + account + "/tokens";
    String id = billing.get(path, by).body().at("/tokens/0/id").asString();
    assertThat(billing.call("DELETE", path + "/" + id, by, null, Map.of()).status()).isEqualTo(204);
  }

  @Test
  void noTokenMakesTokensOrChangesThePassword() throws Exception {
    String token =
        token(
            alice,
            login,
            "\"read\",\"accounts\",\"money\",\"tariffs\",\"snapts\",\"reports\",\"webhooks\"");
    assertThat(make(alice, token, "\"read\"").problem()).isEqualTo("forbidden");
    assertThat(
            billing
                .call("PUT", "/api/v1/accounts/" + alice + "/password", token, "{}", Map.of())
                .problem())
        .isEqualTo("forbidden");
    assertThat(billing.get("/api/v1/accounts/" + alice + "/tokens", token).problem())
        .isEqualTo("forbidden");
  }

  @Test
  void aTokenOfAnOperatorMakesUsersButGivesNobodyMoreRights() throws Exception {
    String token = token("operator", operator, "\"read\",\"accounts\"");
    String id = alice + "-2";
    String made = "{\"id\":\"%s\",\"password\":\"password-of-x\",\"role\":\"%s\"}";
    for (String role : List.of("operator", "auditor", "snapt-owner")) {
      assertThat(billing.post("/api/v1/accounts", token, made.formatted(id, role)).problem())
          .as(role)
          .isEqualTo("forbidden");
      String lines = "{\"check\":false,\"accounts\":[{\"line\":1,\"id\":\"%s\",\"role\":\"%s\"}]}";
      assertThat(
              billing.post("/api/v1/accounts/imports", token, lines.formatted(id, role)).problem())
          .as(role)
          .isEqualTo("forbidden");
    }
    assertThat(billing.post("/api/v1/accounts", token, made.formatted(id, "user")).status())
        .isEqualTo(201);
    String path = "/api/v1/accounts/" + id;
    for (String change :
        List.of("{\"role\":\"operator\"}", "{\"password\":\"another-password\"}")) {
      assertThat(billing.change(path, token, change).problem()).as(change).isEqualTo("forbidden");
    }
    assertThat(billing.change(path, token, "{\"state\":\"suspended\"}").status()).isEqualTo(200);
    assertThat(billing.change(path, operator, "{\"role\":\"auditor\"}").status()).isEqualTo(200);
  }

  @Test
  void anOpenStreamOfEventsEndsSoonAfterItsTokenWasRevoked() throws Exception {
    String token = token(alice, login, "\"read\"");
    HttpResponse<Stream<String>> stream =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(billing.uri("/api/v1/accounts/" + alice + "/events"))
                    .header("Authorization", "Bearer " + token)
                    .build(),
                HttpResponse.BodyHandlers.ofLines());
    try (Stream<String> lines = stream.body()) {
      Iterator<String> open = lines.iterator();
      assertThat(open.next()).startsWith("event:");
      revoke(alice, login);
      assertTimeoutPreemptively(Duration.ofSeconds(30), () -> open.forEachRemaining(_ -> {}));
    }
  }

  @Test
  void aTokenEndsByItsTimeByRevocationAndWithItsAccount() throws Exception {
    String balance = "/api/v1/accounts/" + alice + "/balance";
    String revoked = token(alice, login, "\"read\"");
    revoke(alice, login);
    assertThat(billing.get(balance, revoked).problem()).isEqualTo("unauthenticated");
    String over = token(alice, login, "\"read\"");
    CLOCK.advance(Duration.ofDays(30));
    assertThat(billing.get(balance, over).problem()).isEqualTo("unauthenticated");
    login = billing.logIn(alice, "password-of-" + alice);
    operator = billing.operator();
    String closed = token(alice, login, "\"read\"");
    assertThat(billing.get(balance, closed).status()).isEqualTo(200);
    String path = "/api/v1/accounts/" + alice;
    billing.call("DELETE", path, operator, null, billing.ifMatch(path, operator));
    assertThat(billing.get(balance, closed).problem()).isEqualTo("unauthenticated");
  }

  @Test
  void nobodyMakesTokensForAnotherAccountButAnOperatorRevokesThem() throws Exception {
    assertThat(make(alice, operator, "\"read\"").status()).isEqualTo(404);
    token(alice, login, "\"read\"");
    revoke(alice, operator);
    assertThat(listed().get("revokedAt").isNull()).isFalse();
  }

  @Test
  void anAccountHasTwentyTokensAtMost() throws Exception {
    for (int i = 0; i < 20; i++) {
      token(alice, login, "\"read\"");
    }
    assertThat(make(alice, login, "\"read\"").problem()).isEqualTo("too-many-tokens");
    revoke(alice, login);
    token(alice, login, "\"read\"");
  }

  @Test
  void anAnswerTellsTheLimitAndAboveItIsRefusedUntilTimePasses() throws Exception {
    String balance = "/api/v1/accounts/" + alice + "/balance";
    String token = token(alice, login, "\"read\"");
    Answer first = billing.get(balance, token);
    assertThat(first.raw().headers().firstValue("RateLimit-Policy"))
        .contains("\"default\";q=" + REQUESTS + ";w=20");
    assertThat(first.raw().headers().firstValue("RateLimit"))
        .contains("\"default\";r=" + (REQUESTS - 1) + ";t=0");
    for (int i = 1; i < REQUESTS; i++) {
      assertThat(billing.get(balance, token).status()).isEqualTo(200);
    }
    Answer refused = billing.get(balance, token);
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.problem()).isEqualTo("too-many-requests");
    assertThat(refused.raw().headers().firstValue("Content-Type"))
        .contains("application/problem+json");
    assertThat(refused.raw().headers().firstValue("Retry-After")).contains("1");
    assertThat(refused.raw().headers().firstValue("RateLimit")).contains("\"default\";r=0;t=20");
    assertThat(billing.get(balance, login).status()).as("another one is free").isEqualTo(200);
    CLOCK.advance(Duration.ofMillis(100));
    assertThat(billing.get(balance, token).status()).isEqualTo(200);
    assertThat(billing.get(balance, token).status()).isEqualTo(429);
  }
}
