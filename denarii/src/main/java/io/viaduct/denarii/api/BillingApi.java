package io.viaduct.denarii.api;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Sends requests to billing's REST interface, each one once.
public final class BillingApi {
  /// A verification reads the whole ledger; everything else is answered within a second.
  private static final Duration ANSWER_MAX = Duration.ofMinutes(10);

  private static final int PARTIAL = 206;

  private static final Duration CONNECT_MAX = Duration.ofSeconds(5);
  private static final String PROBLEM = "urn:viaduct:problem:";
  private static final JsonMapper JSON = JsonMapper.shared();

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(CONNECT_MAX)
          .build();
  private final URI base;
  private final String token;

  /// @param base URL of the interface, such as `http://127.0.0.1:8082`
  /// @param token bearer token; empty for requests without a log-in
  public BillingApi(URI base, String token) {
    this.base = base;
    this.token = token;
  }

  /// An answer with its body.
  ///
  /// @param version entity tag, for the header If-Match; null without one
  public record Answer(int status, @Nullable String version, JsonNode body) {}

  /// Reads a resource.
  ///
  /// @param path below `/api/v1`, with its query
  public JsonNode get(String path) throws IOException {
    return send("GET", path, null, Map.of()).body();
  }

  /// Sends a request.
  ///
  /// @param path below `/api/v1`, with its query
  /// @param body written as JSON; null for none
  /// @throws BillingRefusedException if billing refuses it
  /// @throws BillingAwayException if billing does not answer
  public Answer send(String method, String path, @Nullable Object body, Map<String, String> headers)
      throws IOException {
    HttpRequest.Builder request = request(path, method, body);
    headers.forEach(request::header);
    HttpResponse<InputStream> answer = exchange(request.timeout(ANSWER_MAX).build());
    try (InputStream in = answer.body()) {
      byte[] bytes = in.readAllBytes();
      return new Answer(
          answer.statusCode(),
          answer.headers().firstValue("ETag").orElse(null),
          bytes.length == 0 ? JSON.createObjectNode() : json(bytes));
    }
  }

  /// Opens an answer that is read while it comes: a file, or events.
  ///
  /// @param path below `/api/v1`, with its query
  public InputStream open(String path) throws IOException {
    return exchange(request(path, "GET", null).build()).body();
  }

  /// An answer that is read while it comes.
  ///
  /// @param isPartial true if it is the part that was asked for (RFC 9110, section 15.3.7)
  public record Opened(boolean isPartial, InputStream body) {}

  /// Opens an answer that is read while it comes, with headers such as Range.
  ///
  /// @param path below `/api/v1`, with its query
  public Opened open(String path, Map<String, String> headers) throws IOException {
    HttpRequest.Builder request = request(path, "GET", null);
    headers.forEach(request::header);
    HttpResponse<InputStream> answer = exchange(request.build());
    return new Opened(answer.statusCode() == PARTIAL, answer.body());
  }

  private HttpRequest.Builder request(String path, String method, @Nullable Object body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(base.resolve("/api/v1" + path))
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body)));
    if (body != null) {
      request.header("Content-Type", "application/json");
    }
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    return request;
  }

  private HttpResponse<InputStream> exchange(HttpRequest request) throws IOException {
    HttpResponse<InputStream> answer;
    try {
      answer = http.send(request, BodyHandlers.ofInputStream());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for billing at " + base);
    } catch (IOException e) {
      throw new BillingAwayException(base, e);
    }
    if (answer.statusCode() / 100 != 2) {
      try (InputStream in = answer.body()) {
        throw refusal(answer.statusCode(), in.readAllBytes());
      }
    }
    return answer;
  }

  private static BillingRefusedException refusal(int status, byte[] body) {
    try {
      JsonNode problem = JSON.readTree(body);
      String type = problem.path("type").asString("");
      String title = problem.path("title").asString("");
      String detail = problem.path("detail").asString("");
      if (type.startsWith(PROBLEM)) {
        return new BillingRefusedException(
            status,
            type.substring(PROBLEM.length()),
            detail.isEmpty() ? title : title + ": " + detail,
            problem.path("challenge").asString(""));
      }
    } catch (JacksonException _) {
      // told below: whatever answered is not billing
    }
    return new BillingRefusedException(
        status,
        "",
        "an answer with status %d that is not billing's: name billing with --billing URL"
            .formatted(status));
  }

  private static JsonNode json(byte[] body) throws BillingRefusedException {
    try {
      return JSON.readTree(body);
    } catch (JacksonException _) {
      String text = new String(body, StandardCharsets.UTF_8);
      throw new BillingRefusedException(
          200,
          "",
          "an answer that is not JSON ('%s'): name billing with --billing URL"
              .formatted(text.substring(0, Math.min(text.length(), 40))));
    }
  }
}
