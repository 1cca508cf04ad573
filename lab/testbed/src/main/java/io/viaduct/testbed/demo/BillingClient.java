package io.viaduct.testbed.demo;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Client of billing's REST interface for an operator or a user. Requests are repeated while
/// billing restarts. This is safe: logins and reads change nothing, accounts and top-ups have keys.
public final class BillingClient {
  private static final JsonMapper JSON = new JsonMapper();
  private static final HttpClient HTTP =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();

  private final String base;
  private final Retry retry;
  private String token = "";

  public BillingClient(String base, Retry retry) {
    this.base = base + "/api/v1";
    this.retry = retry;
  }

  /// Formats micro-denarii for people.
  static String denarii(long microdenarii) {
    String sign = microdenarii < 0 ? "-" : "";
    long size = Math.abs(microdenarii);
    return "%s%d.%06d".formatted(sign, size / 1_000_000, size % 1_000_000);
  }

  public BillingClient logIn(String user, String password) throws IOException {
    token =
        exchange(
                "POST",
                "/sessions",
                Map.of("user", user, "password", password),
                Map.of(),
                Set.of(201))
            .path("token")
            .asString();
    return this;
  }

  /// Creates an account. An existing account counts as success: the database belongs to this run,
  /// so an earlier try of this request created the account and its response was lost.
  public void createAccount(String id, String password, String displayName) throws IOException {
    exchange(
        "POST",
        "/accounts",
        Map.of("id", id, "password", password, "role", "user", "displayName", displayName),
        Map.of(),
        Set.of(201, 409));
  }

  public void topUp(String account, long microdenarii, String key) throws IOException {
    exchange(
        "POST",
        "/accounts/" + account + "/top-ups",
        Map.of("amountMicrodenarii", Long.toString(microdenarii), "reference", "demo"),
        Map.of("Idempotency-Key", key),
        Set.of(201, 200));
  }

  long balance(String account) throws IOException {
    return get("/accounts/" + account + "/balance").path("postedMicrodenarii").asLong();
  }

  /// Returns all charges of an account, read page by page.
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
    return exchange("GET", path, null, Map.of(), Set.of(200));
  }

  private JsonNode exchange(
      String method,
      String path,
      @Nullable Object body,
      Map<String, String> headers,
      Set<Integer> expected)
      throws IOException {
    HttpRequest request = request(method, path, body, headers);
    return retry.until(() -> {
      HttpResponse<String> response = send(request);
      int status = response.statusCode();
      String text = response.body();
      if (expected.contains(status)) {
        return text.isEmpty() ? JSON.createObjectNode() : JSON.readTree(text);
      }
      String refusal =
          "%s %s answered %d, expected %s: %s".formatted(method, path, status, expected, text);
      if (status >= 500) {
        throw new IOException(refusal); // billing answers so while its database is not ready
      }
      throw new IllegalStateException(refusal);
    });
  }

  private HttpRequest request(
      String method, String path, @Nullable Object body, Map<String, String> headers) {
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
    return request.build();
  }

  private static HttpResponse<String> send(HttpRequest request) throws IOException {
    try {
      return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
