package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Sends every request of the OpenAPI description as a user who asks for what belongs to another
/// one. A request that is new is tried without a change here.
class IsolationTest {
  private static final JsonMapper JSON = JsonMapper.shared();

  /// Requests that every user may send for any owner: prices of SNAPTs are public.
  private static final Set<String> PUBLIC = Set.of("get /api/v1/owners/{id}/surcharges");

  private static RunningBilling billing;
  private static JsonNode paths;
  private static JsonNode schemas;
  private static String alice;
  private static String aliceCharge;
  private static String mallory;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    billing = RunningBilling.start(folder, new ManualClock());
    JsonNode api = billing.get("/v3/api-docs", null).body();
    paths = api.get("paths");
    schemas = api.at("/components/schemas");
    String operator = billing.operator();
    alice = "alice-" + UUID.randomUUID().toString().substring(0, 8);
    String other = "mallory-" + UUID.randomUUID().toString().substring(0, 8);
    billing.openAccount(operator, alice);
    billing.openAccount(operator, other);
    billing.call(
        "POST",
        "/api/v1/accounts/" + alice + "/top-ups",
        operator,
        "{\"amountMicrodenarii\":\"77777\",\"reference\":\"cash\"}",
        Map.of("Idempotency-Key", UUID.randomUUID().toString()));
    aliceCharge =
        Long.toString(
            ChargesOnFile.add(alice, 5, Instant.parse("2026-05-01T00:00:00Z"), new Random(37))
                .getFirst()
                .id());
    mallory = billing.logIn(other, "password-of-" + other);
  }

  @AfterAll
  static void stop() {
    billing.close();
  }

  private record Request(String method, String template, JsonNode operation) {
    String key() {
      return method + " " + template;
    }
  }

  private static List<Request> requests() {
    List<Request> all = new ArrayList<>();
    paths.forEachEntry((template, operations) ->
        operations.forEachEntry((method, operation) -> {
          if (Set.of("get", "put", "post", "patch", "delete").contains(method)) {
            all.add(new Request(method, template, operation));
          }
        }));
    return all;
  }

  /// Fills a path.
  ///
  /// @param id of the account, charge or other thing
  private static String filled(String template, String id) {
    return template
        .replaceFirst("\\{id}", id)
        .replace("{month}", "2026-05")
        .replace("{day}", "2026-05-01")
        .replaceAll("\\{[^}]+}", "1");
  }

  private static Answer sent(Request request, String id) throws Exception {
    String method = request.method().toUpperCase(Locale.ROOT);
    return billing.call(
        method,
        filled(request.template(), id),
        mallory,
        method.matches("GET|DELETE") ? null : body(request),
        Map.of("If-Match", "\"1\"", "Idempotency-Key", "isolation-test"));
  }

  // Status and words, without the path that was asked for.
  private static String said(Answer answer) {
    return answer.status() + " " + answer.problem() + " " + answer.body().path("detail").asString();
  }

  // Has what the request must have, so that it is not refused for its form.
  private static String body(Request request) {
    Map<String, Object> body = new TreeMap<>();
    JsonNode schema = request.operation().at("/requestBody/content/application~1json/schema/$ref");
    if (!schema.isMissingNode()) {
      String name = schema.asString().replaceFirst(".*/", "");
      JsonNode described = schemas.path(name).path("properties");
      described.forEachEntry((key, property) ->
          body.put(
              key,
              switch (property.path("type").asString("object")) {
                case "integer", "number" -> 1;
                case "boolean" -> true;
                case "array" -> List.of();
                case "string" ->
                    property.path("format").asString("").equals("date-time")
                        ? "2026-05-01T00:00:00Z"
                        : "1";
                default -> Map.of();
              }));
    }
    return JSON.writeValueAsString(body);
  }

  @Test
  void nobodyReachesAnotherAccountByAnyRequest() throws Exception {
    int tried = 0;
    for (Request request : requests()) {
      if (!request.template().startsWith("/api/v1/accounts/{id}")) {
        continue;
      }
      Answer hers = sent(request, alice);
      assertThat(hers.status()).as(request.key()).isBetween(400, 499);
      assertThat(said(sent(request, "nobody-at-all")))
          .as(request.key() + " answers alike whether the account is there or not")
          .isEqualTo(said(hers));
      tried++;
    }
    assertThat(tried).isGreaterThan(50);
  }

  @Test
  void nobodyReachesAnotherOnesChargeByAnyRequest() throws Exception {
    for (Request request : requests()) {
      if (request.template().startsWith("/api/v1/charges/{id}")) {
        Answer hers = sent(request, aliceCharge);
        assertThat(hers.status()).as(request.key()).isEqualTo(404);
        assertThat(said(sent(request, "999999999"))).as(request.key()).isEqualTo(said(hers));
      }
    }
  }

  @Test
  void noListOfAllAccountsIsForUsers() throws Exception {
    for (Request request : requests()) {
      if (request.template().startsWith("/api/v1/accounts/{id}")
          || request.template().startsWith("/api/v1/charges/{id}")
          || PUBLIC.contains(request.key())
          || request.template().contains("/sessions")) {
        continue;
      }
      Answer answer = sent(request, "acme");
      assertThat(answer.raw().body()).as(request.key()).doesNotContain(alice);
      if (answer.status() < 300) {
        assertThat(request.template())
            .as(request.key() + " is answered to users")
            .matches("/api/v1/(tariffs.*|statement-roots.*|rating/simulate)");
      }
    }
  }
}
