package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks the texts of refusals: they use the caller's terms and name no Java class or framework.
class RefusalWordsTest {
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

  private static void refused(int status, String detail, Answer answer) {
    assertThat(answer.raw().headers().firstValue("Content-Type"))
        .contains("application/problem+json");
    assertThat(answer.body().path("detail").asString()).isEqualTo(detail);
    assertThat(answer.status()).isEqualTo(status);
    assertThat(answer.problem()).isIn("invalid-request", "not-found");
    assertThat(answer.raw().body())
        .doesNotContain("java", "jackson", "Exception", "parameter type", "DeserializationFeature");
  }

  private static Answer post(String path, String body, String... headers) throws Exception {
    Map<String, String> more = headers.length == 0 ? Map.of() : Map.of(headers[0], headers[1]);
    return billing.call("POST", "/api/v1" + path, operator, body, more);
  }

  @Test
  void theRefusalOfAParameterHasItsNameValueAndRule() throws Exception {
    for (String path : new String[] {"accounts", "reports/refused", "reports/gaps"}) {
      refused(
          400,
          "limit must be a whole number, got 'abc'",
          billing.get("/api/v1/" + path + "?limit=abc", operator));
      refused(
          400,
          "limit must be 1 to 500, got 501",
          billing.get("/api/v1/" + path + "?limit=501", operator));
    }
    String cursor = "cursor must be the 'next' of an earlier page, or be left out";
    refused(400, cursor, billing.get("/api/v1/accounts?cursor=%3Cscript", operator));
    refused(400, cursor, billing.get("/api/v1/accounts/operator/charges?cursor=x", operator));
    refused(400, cursor, billing.get("/api/v1/accounts/operator/postings?cursor=-1", operator));
    refused(
        400,
        "snapt must have at most 128 characters, none of them a control or format character: got U+0000",
        billing.get("/api/v1/accounts/operator/charges?snapt=a%00b", operator));
  }

  @Test
  void theRefusalOfAHeaderSaysWhatToSend() throws Exception {
    String topUp = "{\"amountMicrodenarii\":\"5\",\"reference\":\"x\"}";
    refused(
        400,
        "send the header Idempotency-Key, see /v3/api-docs",
        post("/accounts/operator/top-ups", topUp));
    refused(
        400,
        "the header Idempotency-Key must be 1 to 128 printable characters without blanks",
        post("/accounts/operator/top-ups", topUp, "Idempotency-Key", "a b"));
    refused(
        415,
        "send the body with the header Content-Type: application/json",
        billing.call(
            "POST", "/api/v1/accounts", operator, null, Map.of("Content-Type", "text/csv")));
    refused(
        406,
        "this answer is available only as application/json",
        billing.call("GET", "/api/v1/accounts", operator, null, Map.of("Accept", "text/csv")));
  }

  @Test
  void theRefusalOfAPathOrMethodSaysWhatIsSupported() throws Exception {
    refused(
        405,
        "PUT is not supported at this path, only GET, POST",
        billing.call("PUT", "/api/v1/accounts", operator, "{}", Map.of()));
    refused(
        404,
        "GET is not defined at this path: see /v3/api-docs",
        billing.get("/api/v1/nope", operator));
  }

  @Test
  void theRefusalOfABodyHasItsKeyAndRule() throws Exception {
    String name = "\"password\":\"long-enough\",\"role\":\"user\"";
    refused(
        400,
        "the body is broken JSON: look at line 1, column 13",
        post("/accounts", "{\"id\":\"bob\","));
    refused(
        400,
        "send one JSON object as body, as /v3/api-docs describes it",
        billing.call(
            "POST",
            "/api/v1/accounts",
            operator,
            null,
            Map.of("Content-Type", "application/json")));
    refused(400, "the body must be one JSON object", post("/accounts", "[]"));
    refused(400, "the body must be one JSON object", post("/accounts", "\"x\""));
    refused(400, "the key 'id' must be a string", post("/accounts", "{\"id\":[1]," + name + "}"));
    refused(400, "the key 'id' must be a string", post("/accounts", "{\"id\":5," + name + "}"));
    refused(400, "the key 'id' must be a string", post("/accounts", "{\"id\":true," + name + "}"));
    refused(
        400,
        "the key 'id' is given twice: send it once",
        post("/accounts", "{\"id\":\"a\",\"id\":\"b\"," + name + "}"));
    refused(
        400,
        "unknown key 'admin'; known keys: displayName, id, password, role, sipPassword,"
            + " sipSecret",
        post("/accounts", "{\"admin\":true,\"id\":\"a\"," + name + "}"));
    refused(
        400, "the key 'role' is missing", post("/accounts", "{\"id\":\"a\",\"password\":\"p\"}"));
    refused(
        400,
        "the key 'effectiveFrom' must be a time such as 2026-01-31T00:00:00Z",
        post("/tariffs", "{\"effectiveFrom\":\"tomorrow\",\"tariff\":{}}"));
    refused(
        400,
        "the key 'tariff' must be an object",
        post("/tariffs", "{\"effectiveFrom\":\"2030-01-01T00:00:00Z\",\"tariff\":[]}"));
    refused(
        413,
        "the body may have 262144 bytes and be 32 levels deep at most",
        post("/accounts", "{\"id\":\"" + "x".repeat(400_000) + "\"}"));
  }

  @Test
  void textThatTheDatabaseCannotStoreIsRefused() throws Exception {
    refused(
        400,
        "reference must have at most 256 characters, none of them a control or format character: got U+D800",
        post(
            "/accounts/operator/top-ups",
            "{\"amountMicrodenarii\":\"1\",\"reference\":\"a\\ud800b\"}",
            "Idempotency-Key",
            "surrogate"));
    Answer stranger =
        billing.post("/api/v1/sessions", null, "{\"user\":\"a\\u0000b\",\"password\":\"x\"}");
    assertThat(stranger.problem()).isEqualTo("wrong-password");
  }

  @Test
  void theRefusalOfAnEmptyTariffNamesTheMissingKeys() throws Exception {
    Answer empty = post("/tariffs", "{\"effectiveFrom\":\"2030-01-01T00:00:00Z\",\"tariff\":{}}");
    assertThat(empty.problem()).isEqualTo("tariff-refused");
    assertThat(empty.body().path("detail").asString())
        .doesNotContain("creator", "Feature")
        .contains("classes");
  }
}
