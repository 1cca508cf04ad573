package io.viaduct.setup.users;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// A client of billing's REST interface. It waits for a billing that does not answer yet.
public final class BillingClient {
  /// Enough for the first start of the embedded PostgreSQL.
  private static final Duration WAIT_MAX = Duration.ofSeconds(120);

  private static final Duration PAUSE = Duration.ofMillis(250);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final JsonMapper JSON = new JsonMapper();

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();
  private static final int CHANGED_MEANWHILE = 412;

  private final URI base;
  private final LongSupplier nanoTime;
  private final Duration waitMax;
  private String token = "";

  /// A refusal by billing.
  ///
  /// @param type type of the problem (RFC 9457), or the status
  public record Problem(int status, String type, String detail) {}

  /// Thrown if billing refuses a request; the message contains billing's reason.
  public static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;
    private final transient Problem problem;

    RefusedException(String request, Problem problem) {
      super("billing refuses %s: %s (%d)".formatted(request, problem.detail, problem.status));
      this.problem = problem;
    }

    public Problem problem() {
      return problem;
    }
  }

  /// @param base URL of the interface, such as `http://127.0.0.1:8082`
  /// @param nanoTime clock of the wait, in ns
  public BillingClient(URI base, LongSupplier nanoTime) {
    this(base, nanoTime, WAIT_MAX);
  }

  /// @param waitMax longest wait for a billing that does not answer
  public BillingClient(URI base, LongSupplier nanoTime, Duration waitMax) {
    this.base = base;
    this.nanoTime = nanoTime;
    this.waitMax = waitMax;
  }

  /// Logs in; later requests are sent as this operator.
  ///
  /// @throws RefusedException if the password is wrong, or too many passwords were wrong
  /// @throws IOException if billing does not answer in time
  public void logIn(String user, String password) throws IOException {
    token =
        send("POST", "/sessions", Map.of("user", user, "password", password), Map.of())
            .path("token")
            .asString();
  }

  /// Returns whether an account exists.
  public boolean has(String account) throws IOException {
    try {
      send("GET", "/accounts/" + account, null, Map.of());
      return true;
    } catch (RefusedException e) {
      if (e.problem.status == 404) {
        return false;
      }
      throw e;
    }
  }

  /// Makes a user: an account with a password for the pages and one for the devices.
  public void create(String account, String displayName, String password, String sipPassword)
      throws IOException {
    send(
        "POST",
        "/accounts",
        Map.of(
            "id",
            account,
            "role",
            "user",
            "displayName",
            displayName,
            "password",
            password,
            "sipPassword",
            sipPassword),
        Map.of());
  }

  /// Replaces a user's passwords.
  public void setPasswords(String account, String password, String sipPassword) throws IOException {
    String path = "/accounts/" + account;
    change("PATCH", path, path, Map.of("password", password, "sipPassword", sipPassword));
  }

  /// Posts a top-up once, even if the request is repeated with the same key.
  public void topUp(String account, long microdenarii, String key) throws IOException {
    send(
        "POST",
        "/accounts/" + account + "/top-ups",
        Map.of("amountMicrodenarii", Long.toString(microdenarii), "reference", "viaduct setup"),
        Map.of("Idempotency-Key", key));
  }

  /// Sends a request, and repeats it until billing answers.
  ///
  /// @param path below the interface's version, with its query
  /// @param body written as JSON; null for none
  /// @throws RefusedException if billing refuses the request
  public JsonNode send(
      String method, String path, @Nullable Object body, Map<String, String> headers)
      throws IOException {
    return json(answer(method, path, body, headers).body());
  }

  /// Sends a change to a part of a resource, as the resource is now. If it has changed in between,
  /// perhaps by an earlier try whose answer was lost, the change is sent once more.
  ///
  /// @param whole path of the resource, whose entity tag is read (RFC 9110, section 13.1.1)
  /// @param body written as JSON; null for none
  /// @throws RefusedException if billing refuses the request
  public JsonNode change(String method, String whole, String path, @Nullable Object body)
      throws IOException {
    try {
      return send(method, path, body, Map.of("If-Match", tag(whole)));
    } catch (RefusedException e) {
      if (e.problem.status != CHANGED_MEANWHILE) {
        throw e;
      }
      return send(method, path, body, Map.of("If-Match", tag(whole)));
    }
  }

  private String tag(String path) throws IOException {
    return answer("GET", path, null, Map.of())
        .headers()
        .firstValue("ETag")
        .orElseThrow(() -> new IOException("billing's answer to GET " + path + " has no ETag"));
  }

  private HttpResponse<String> answer(
      String method, String path, @Nullable Object body, Map<String, String> headers)
      throws IOException {
    HttpRequest request = request(method, path, body, headers);
    long deadlineNs = nanoTime.getAsLong() + waitMax.toNanos();
    while (true) {
      String problemText;
      try {
        HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() / 100 == 2) {
          return response;
        }
        Problem problem = problem(response);
        if (problem.status < 500) {
          throw new RefusedException(method + " " + path, problem);
        }
        problemText = problem.detail;
      } catch (RefusedException e) {
        throw e;
      } catch (IOException e) {
        problemText = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted while waiting for billing at " + base);
      }
      if (nanoTime.getAsLong() - deadlineNs > 0) {
        throw new IOException(
            "billing at %s does not answer (%s): start it, or name it with --billing URL"
                .formatted(base, problemText));
      }
      pause();
    }
  }

  private static void pause() throws InterruptedIOException {
    try {
      Thread.sleep(PAUSE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for billing");
    }
  }

  private HttpRequest request(
      String method, String path, @Nullable Object body, Map<String, String> headers) {
    var request =
        HttpRequest.newBuilder(base.resolve("/api/v1" + path))
            .timeout(TIMEOUT)
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

  private static JsonNode json(String text) throws IOException {
    try {
      return text.isEmpty() ? JSON.createObjectNode() : JSON.readTree(text);
    } catch (JacksonException e) {
      throw new IOException("billing's answer is not JSON: " + e.getOriginalMessage(), e);
    }
  }

  private static Problem problem(HttpResponse<String> response) {
    String status = Integer.toString(response.statusCode());
    try {
      JsonNode problem = json(response.body());
      return new Problem(
          response.statusCode(),
          problem.path("type").asString(status),
          problem.path("detail").asString(problem.path("title").asString(status)));
    } catch (IOException _) {
      return new Problem(response.statusCode(), status, "an answer that is not billing's");
    }
  }
}
