package io.viaduct.webgui.peer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.service.operations.MetricLabel;
import io.viaduct.webgui.peer.PeerAwayException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// One service behind the pages. Every call blocks its virtual thread for at most the timeout,
/// reads at most `answerBytes`, and ends in a value or in one of three exceptions:
/// [PeerAwayException], [PeerRefusedException], [SessionEndedException].
public final class JsonPeer {
  private static final JsonMapper JSON =
      JsonMapper.builder()
          // A newer peer may say more than we know.
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .build();

  private static final int DETAIL_LENGTH_MAX = 300;

  private final PeerName name;
  private final URI base;
  private final Duration timeout;
  private final int answerBytes;
  private final MeterRegistry meters;
  private final HttpClient http;

  public JsonPeer(
      PeerName name, URI base, Duration timeout, int answerBytes, MeterRegistry meters) {
    this(
        name,
        base,
        timeout,
        answerBytes,
        meters,
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(timeout)
            .executor(Executors.newVirtualThreadPerTaskExecutor())
            .followRedirects(HttpClient.Redirect.NEVER)
            .build());
  }

  JsonPeer(
      PeerName name,
      URI base,
      Duration timeout,
      int answerBytes,
      MeterRegistry meters,
      HttpClient http) {
    this.name = name;
    this.base = URI.create(base.toString().replaceAll("/+$", "") + "/api/v1");
    this.timeout = timeout;
    this.answerBytes = answerBytes;
    this.meters = meters;
    this.http = http;
    for (Reason reason : Reason.values()) {
      failures(reason); // shown as 0 from the start
    }
  }

  /// @param path below `/api/v1`, already percent-encoded
  public <T> T get(String path, BearerToken token, Class<T> answer) {
    return read(send(authorized(path, token).GET().build(), text()), answer);
  }

  /// @param body becomes JSON
  public <T> T post(HttpRequest.Builder request, Object body, Class<T> answer) {
    return post(request, body, answer, timeout);
  }

  /// @param body becomes JSON
  /// @param patience for this answer, in place of the usual timeout if it is longer
  public <T> T post(HttpRequest.Builder request, Object body, Class<T> answer, Duration patience) {
    HttpRequest json =
        request
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(JSON.writeValueAsString(body)))
            .build();
    return read(send(json, text(), patience.compareTo(timeout) > 0 ? patience : timeout), answer);
  }

  /// Sends JSON by another method, PUT or PATCH. Forgets the answer; a refusal is still thrown.
  public void send(String method, String path, BearerToken token, Object body) {
    HttpRequest json =
        authorized(path, token)
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(JSON.writeValueAsString(body)))
            .build();
    requireOk(send(json, text()));
  }

  /// Forgets the answer; a refusal is still thrown.
  public void delete(String path, BearerToken token) {
    requireOk(send(authorized(path, token).DELETE().build(), text()));
  }

  /// Opens an answer of any length: events or a file. The timeout bounds the wait for its headers.
  ///
  /// @param type media type that is wanted
  public InputStream stream(String path, String type, BearerToken token) {
    HttpRequest request = authorized(path, token).header("Accept", type).build();
    HttpResponse<InputStream> response = send(request, BodyHandlers.ofInputStream());
    if (response.statusCode() == 200) {
      return response.body();
    }
    try (InputStream body = response.body()) {
      throw refusal(
          response.statusCode(), new String(body.readNBytes(answerBytes), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw away(Reason.UNREACHABLE, e.toString());
    }
  }

  public HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(base + path));
  }

  public HttpRequest.Builder authorized(String path, BearerToken token) {
    return request(path).header("Authorization", "Bearer " + token.reveal());
  }

  private BodyHandler<String> text() {
    return BodyHandlers.limiting(BodyHandlers.ofString(), answerBytes);
  }

  private <B> HttpResponse<B> send(HttpRequest request, BodyHandler<B> handler) {
    return send(request, handler, timeout);
  }

  private <B> HttpResponse<B> send(HttpRequest request, BodyHandler<B> handler, Duration patience) {
    // The request's own timeout ends with the headers; this wait covers the body too.
    CompletableFuture<HttpResponse<B>> response = http.sendAsync(request, handler);
    try {
      return response.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      response.cancel(true);
      throw away(Reason.TIMEOUT, "no answer within " + patience);
    } catch (ExecutionException e) {
      // HttpResponse.BodyHandlers.limiting has no exception of its own, only these words.
      boolean tooLong = String.valueOf(e.getMessage()).contains("exceeds capacity");
      throw away(tooLong ? Reason.UNREADABLE : Reason.UNREACHABLE, String.valueOf(e.getCause()));
    } catch (InterruptedException e) {
      response.cancel(true);
      Thread.currentThread().interrupt();
      throw away(Reason.UNREACHABLE, "interrupted, this process is stopping");
    }
  }

  private void requireOk(HttpResponse<String> response) {
    if (response.statusCode() / 100 != 2) {
      throw refusal(response.statusCode(), response.body());
    }
  }

  private <T> T read(HttpResponse<String> response, Class<T> answer) {
    requireOk(response);
    try {
      T value = JSON.readValue(response.body(), answer);
      if (value != null) {
        return value;
      }
    } catch (JacksonException | IllegalArgumentException e) {
      // Said below: the message of a JacksonException may quote the body, which may hold a token.
    }
    throw away(Reason.UNREADABLE, response.uri().getPath() + " is not " + answer.getSimpleName());
  }

  private RuntimeException refusal(int status, String body) {
    if (status >= 500) {
      return away(Reason.FAILED, "status " + status);
    }
    if (status == 401 && name == PeerName.BILLING) {
      return new SessionEndedException();
    }
    if (status < 400 || name == PeerName.BRIDGE) {
      return away(Reason.MISCONFIGURED, "status " + status);
    }
    return new PeerRefusedException(status, detail(body));
  }

  private static String detail(String body) {
    try {
      JsonNode problem = JSON.readTree(body);
      String detail = problem.path("detail").asString(problem.path("title").asString(""));
      return detail.length() <= DETAIL_LENGTH_MAX ? detail : detail.substring(0, DETAIL_LENGTH_MAX);
    } catch (JacksonException e) {
      return "";
    }
  }

  private PeerAwayException away(Reason reason, String detail) {
    failures(reason).increment();
    return new PeerAwayException(name, reason, detail);
  }

  private Counter failures(Reason reason) {
    return Counter.builder("viaduct_webgui_peer_failures")
        .description("Calls of billing or the bridge without a usable answer, by reason")
        .tag("peer", MetricLabel.of(name))
        .tag("reason", MetricLabel.of(reason))
        .register(meters);
  }
}
