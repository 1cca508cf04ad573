package io.viaduct.webgui.peer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.service.operations.MetricLabel;
import io.viaduct.webgui.peer.PeerAwayException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.converter.ByteArrayHttpMessageConverter;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClient.RequestBodySpec;
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
  private final String base;
  private final Duration timeout;
  private final int answerBytes;
  private final MeterRegistry meters;
  private final RestClient http;
  private final ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor();

  public JsonPeer(
      PeerName name, URI base, Duration timeout, int answerBytes, MeterRegistry meters) {
    this(name, base, timeout, answerBytes, meters, connections(timeout));
  }

  JsonPeer(
      PeerName name,
      URI base,
      Duration timeout,
      int answerBytes,
      MeterRegistry meters,
      ClientHttpRequestFactory connections) {
    this.name = name;
    this.base = base.toString().replaceAll("/+$", "") + "/api/v1";
    this.timeout = timeout;
    this.answerBytes = answerBytes;
    this.meters = meters;
    this.http =
        RestClient.builder()
            .requestFactory(connections)
            .configureMessageConverters(
                bodies -> bodies.addCustomConverter(new ByteArrayHttpMessageConverter()))
            .build();
    for (Reason reason : Reason.values()) {
      failures(reason); // shown as 0 from the start
    }
  }

  private static ClientHttpRequestFactory connections(Duration timeout) {
    JdkClientHttpRequestFactory connections =
        new JdkClientHttpRequestFactory(
            HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(timeout)
                .executor(Executors.newVirtualThreadPerTaskExecutor())
                .followRedirects(HttpClient.Redirect.NEVER)
                .build());
    connections.enableCompression(false);
    return connections;
  }

  /// An answer that was read as a whole.
  ///
  /// @param body null if it is longer than the limit
  /// @param tag its entity tag, or empty
  private record Answer(int status, byte @Nullable [] body, String tag) {}

  /// A value with the entity tag of its version (RFC 9110, section 8.8.3), empty if it has none.
  public record Tagged<T>(T value, String tag) {}

  /// An answer whose body is not read yet.
  private record Opened(int status, InputStream body) {}

  /// @param path below `/api/v1`, already percent-encoded
  public <T> T get(String path, BearerToken token, Class<T> answer) {
    return read(path, send(request(HttpMethod.GET, path, authorized(token)), timeout), answer);
  }

  /// @param headers as [#authorized] returns them, or others
  /// @param body becomes JSON
  public <T> T post(String path, Consumer<HttpHeaders> headers, Object body, Class<T> answer) {
    return post(path, headers, body, answer, timeout);
  }

  /// @param body becomes JSON
  /// @param patience for this answer, in place of the usual timeout if it is longer
  public <T> T post(
      String path, Consumer<HttpHeaders> headers, Object body, Class<T> answer, Duration patience) {
    RequestBodySpec request = json(request(HttpMethod.POST, path, headers), body);
    return read(path, send(request, patience.compareTo(timeout) > 0 ? patience : timeout), answer);
  }

  /// Reads a value with its entity tag.
  public <T> Tagged<T> getTagged(String path, BearerToken token, Class<T> answer) {
    Answer received = send(request(HttpMethod.GET, path, authorized(token)), timeout);
    return new Tagged<>(read(path, received, answer), received.tag());
  }

  /// Changes a value unless somebody else has changed it since it was read.
  ///
  /// @param tag the entity tag as it was read
  /// @return the value after the change
  /// @throws PeerRefusedException with 412 if it was changed meanwhile
  public <T> Tagged<T> replace(
      HttpMethod method, String path, BearerToken token, String tag, Object body, Class<T> answer) {
    Answer received = send(json(request(method, path, unchanged(token, tag)), body), timeout);
    return new Tagged<>(read(path, received, answer), received.tag());
  }

  /// Puts JSON, and reads the answer.
  public <T> T put(String path, BearerToken token, Object body, Class<T> answer) {
    return read(
        path, send(json(request(HttpMethod.PUT, path, authorized(token)), body), timeout), answer);
  }

  /// Sends JSON by another method, PUT or PATCH. Forgets the answer; a refusal is still thrown.
  public void send(HttpMethod method, String path, BearerToken token, Object body) {
    requireOk(send(json(request(method, path, authorized(token)), body), timeout));
  }

  /// Sends JSON by another method unless somebody else has changed the thing since it was read.
  /// Forgets the answer.
  ///
  /// @param tag the entity tag as it was read
  /// @throws PeerRefusedException with 412 if it was changed meanwhile
  public void send(HttpMethod method, String path, BearerToken token, String tag, Object body) {
    requireOk(send(json(request(method, path, unchanged(token, tag)), body), timeout));
  }

  /// Sends JSON by another method, with headers. Forgets the answer; a refusal is still thrown.
  public void send(HttpMethod method, String path, Consumer<HttpHeaders> headers, Object body) {
    requireOk(send(json(request(method, path, headers), body), timeout));
  }

  /// Deletes a thing unless somebody else has changed it since it was read.
  ///
  /// @param tag the entity tag as it was read
  /// @throws PeerRefusedException with 412 if it was changed meanwhile
  public void delete(String path, BearerToken token, String tag) {
    requireOk(send(request(HttpMethod.DELETE, path, unchanged(token, tag)), timeout));
  }

  /// Forgets the answer; a refusal is still thrown.
  public void delete(String path, BearerToken token) {
    requireOk(send(request(HttpMethod.DELETE, path, authorized(token)), timeout));
  }

  /// Opens an answer of any length: events or a file. The timeout bounds the wait for its headers.
  ///
  /// @param type media type that is wanted
  public InputStream stream(String path, String type, BearerToken token) {
    return stream(path, type, authorized(token));
  }

  /// Opens an answer of any length that needs no log-in.
  public InputStream openStream(String path, String type) {
    return stream(path, type, _ -> {});
  }

  private InputStream stream(String path, String type, Consumer<HttpHeaders> headers) {
    RequestBodySpec request =
        request(HttpMethod.GET, path, headers).header(HttpHeaders.ACCEPT, type);
    Opened opened =
        within(
            timeout,
            () ->
                request.exchange(
                    (_, response) ->
                        new Opened(response.getStatusCode().value(), response.getBody()),
                    false));
    if (opened.status() == 200) {
      return opened.body();
    }
    try (InputStream body = opened.body()) {
      throw refusal(opened.status(), body.readNBytes(answerBytes));
    } catch (IOException e) {
      throw away(Reason.UNREACHABLE, e.toString());
    }
  }

  /// Returns the header that sends a token.
  public static Consumer<HttpHeaders> authorized(BearerToken token) {
    return headers -> headers.setBearerAuth(token.reveal());
  }

  private static Consumer<HttpHeaders> unchanged(BearerToken token, String tag) {
    return authorized(token).andThen(all -> all.set(HttpHeaders.IF_MATCH, tag));
  }

  private RequestBodySpec request(HttpMethod method, String path, Consumer<HttpHeaders> headers) {
    // A URI and not a template: the path is percent-encoded already.
    return http.method(method).uri(URI.create(base + path)).headers(headers);
  }

  private static RequestBodySpec json(RequestBodySpec request, Object body) {
    return request.contentType(MediaType.APPLICATION_JSON).body(JSON.writeValueAsBytes(body));
  }

  private Answer send(RequestBodySpec request, Duration patience) {
    return within(
        patience,
        () ->
            request.exchangeForRequiredValue((_, response) -> {
              byte[] body = response.getBody().readNBytes(answerBytes + 1);
              return new Answer(
                  response.getStatusCode().value(),
                  body.length > answerBytes ? null : body,
                  Objects.requireNonNullElse(response.getHeaders().getETag(), ""));
            }));
  }

  /// Makes a call that ends in time, including the body of the answer.
  private <T> T within(Duration patience, Callable<T> call) {
    Future<T> answer = calls.submit(call);
    try {
      return answer.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      answer.cancel(true);
      throw away(Reason.TIMEOUT, "no answer within " + patience);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof ResourceAccessException broken) {
        throw away(Reason.UNREACHABLE, String.valueOf(broken.getCause()));
      }
      throw new IllegalStateException("the request cannot be sent", e.getCause());
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw away(Reason.UNREACHABLE, "interrupted, this process is stopping");
    }
  }

  private byte[] requireOk(Answer answer) {
    byte[] body = answer.body();
    if (body == null) {
      throw away(Reason.UNREADABLE, "an answer of more than " + answerBytes + " bytes");
    }
    if (answer.status() / 100 != 2) {
      throw refusal(answer.status(), body);
    }
    return body;
  }

  private <T> T read(String path, Answer received, Class<T> answer) {
    byte[] body = requireOk(received);
    try {
      T value = JSON.readValue(body, answer);
      if (value != null) {
        return value;
      }
    } catch (JacksonException | IllegalArgumentException e) {
      // Said below: the message of a JacksonException may quote the body, which may hold a token.
    }
    throw away(Reason.UNREADABLE, path.split("\\?", 2)[0] + " is not " + answer.getSimpleName());
  }

  private RuntimeException refusal(int status, byte[] body) {
    if (status >= 500) {
      return away(Reason.FAILED, "status " + status);
    }
    if (status == 401 && name == PeerName.BILLING) {
      String challenge = problem(body).path("challenge").asString("");
      return challenge.isEmpty()
          ? new SessionEndedException()
          : new CodeRequiredException(challenge);
    }
    if (status < 400 || name == PeerName.BRIDGE) {
      return away(Reason.MISCONFIGURED, "status " + status);
    }
    JsonNode problem = problem(body);
    return new PeerRefusedException(
        status,
        text(problem, "type", ""),
        text(problem, "detail", text(problem, "title", "")),
        text(problem, "rule", ""),
        text(problem, "place", ""),
        problem.path("knot").asInt(PeerRefusedException.NO_KNOT));
  }

  private static JsonNode problem(byte[] body) {
    try {
      return JSON.readTree(body);
    } catch (JacksonException e) {
      return JSON.createObjectNode();
    }
  }

  private static String text(JsonNode problem, String key, String otherwise) {
    String text = problem.path(key).asString(otherwise);
    return text.length() <= DETAIL_LENGTH_MAX ? text : text.substring(0, DETAIL_LENGTH_MAX);
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
