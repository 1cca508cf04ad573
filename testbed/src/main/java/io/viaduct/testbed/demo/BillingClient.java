package io.viaduct.testbed.demo;

import io.viaduct.testbed.deployment.Plans;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Billing's REST interface, as an operator or a user.
final class BillingClient {
  private static final JsonMapper JSON = new JsonMapper();
  private static final HttpClient HTTP =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();

  private final String base;
  private String token = "";

  BillingClient(String base) {
    this.base = base + "/api/v1";
  }

  /// The REST interface of the deployment's billing.
  static String address(String host) {
    return "http://%s:%d".formatted(host, Plans.BILLING_REST_PORT);
  }

  /// Micro-denarii as people read them.
  static String denarii(long microdenarii) {
    String sign = microdenarii < 0 ? "-" : "";
    long size = Math.abs(microdenarii);
    return "%s%d.%06d".formatted(sign, size / 1_000_000, size % 1_000_000);
  }

  BillingClient logIn(String user, String password) throws IOException {
    token =
        exchange("POST", "/sessions", Map.of("user", user, "password", password), Map.of(), 201)
            .path("token")
            .asString();
    return this;
  }

  void createAccount(String id, String password, String displayName) throws IOException {
    exchange(
        "POST",
        "/accounts",
        Map.of("id", id, "password", password, "role", "user", "displayName", displayName),
        Map.of(),
        201);
  }

  void topUp(String account, long microdenarii, String key) throws IOException {
    exchange(
        "POST",
        "/accounts/" + account + "/top-ups",
        Map.of("amountMicrodenarii", Long.toString(microdenarii), "reference", "demo"),
        Map.of("Idempotency-Key", key),
        201);
  }

  long balance(String account) throws IOException {
    return get("/accounts/" + account + "/balance").path("postedMicrodenarii").asLong();
  }

  /// Every charge of an account, page by page.
  List<Charge> charges(String account) throws IOException {
    var all = new ArrayList<Charge>();
    String cursor = "";
    do {
      JsonNode page = get("/accounts/%s/charges?limit=200%s".formatted(account, cursor));
      page.path("charges").forEach(charge -> all.add(Charge.of(charge)));
      JsonNode next = page.path("next");
      cursor = next.isNull() || next.isMissingNode() ? "" : "&cursor=" + next.asString();
    } while (!cursor.isEmpty());
    return all;
  }

  JsonNode get(String path) throws IOException {
    return exchange("GET", path, null, Map.of(), 200);
  }

  private JsonNode exchange(
      String method,
      String path,
      @org.jspecify.annotations.Nullable Object body,
      Map<String, String> headers,
      int expected)
      throws IOException {
    var request =
        HttpRequest.newBuilder(URI.create(base + path))
            .timeout(Duration.ofSeconds(10))
            .header("Content-Type", "application/json")
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body)));
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    headers.forEach(request::header);
    try {
      HttpResponse<String> response =
          HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() != expected) {
        throw new IOException(
            "%s %s answered %d, expected %d: %s"
                .formatted(method, path, response.statusCode(), expected, response.body()));
      }
      return response.body().isEmpty() ? JSON.createObjectNode() : JSON.readTree(response.body());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
