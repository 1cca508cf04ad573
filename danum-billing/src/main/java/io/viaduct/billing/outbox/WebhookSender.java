package io.viaduct.billing.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.viaduct.billing.configuration.WebhooksSettings;
import io.viaduct.billing.outbox.Deliveries.Claimed;
import io.viaduct.billing.outbox.Deliveries.Outcome;
import io.viaduct.billing.webhook.WebhookSignature;
import io.viaduct.service.operations.LabelledCounters;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.ManagedHttpClientConnectionFactory;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.io.SocketConfig;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import tools.jackson.databind.json.JsonMapper;

/// Sends what is due to the endpoints. Each endpoint has a thread for a turn, so that a slow one
/// holds up no other: the turn ends after [#TURN], or after a delivery without an answer, and what
/// was not tried is due again. Redirects are not followed, and no body of an answer is read.
final class WebhookSender implements AutoCloseable {
  static final String EVENT_HEADER = "Viaduct-Event";

  /// Most endpoints that this process delivers to at the same time: each has a thread and a socket.
  private static final int CONCURRENT_MAX = 1000;

  /// Most endpoints of one claim, which bounds the memory that their deliveries take.
  private static final int CLAIMED_AT_ONCE = 50;

  /// No delivery of a turn begins after it.
  private static final Duration TURN = Duration.ofSeconds(2);

  /// A turn is over this long before another process may take its deliveries.
  private static final Duration LEASE_MARGIN = Duration.ofSeconds(30);

  /// Connections without a delivery are closed after it.
  private static final TimeValue IDLE = TimeValue.ofSeconds(30);

  // An answer's head is read whole, so its size has a bound.
  private static final Http1Config HEAD =
      Http1Config.custom().setMaxLineLength(16_384).setMaxHeaderCount(200).build();

  private static final Logger LOG = LoggerFactory.getLogger(WebhookSender.class);
  private static final JsonMapper JSON = JsonMapper.shared();

  private final WebhooksSettings settings;
  private final Endpoints endpoints;
  private final Deliveries deliveries;
  private final InstantSource clock;
  private final LabelledCounters<Deliveries.State> outcomes;
  private final CloseableHttpClient http;
  private final Set<Long> busy = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("webhook-", 0).factory());

  WebhookSender(
      WebhooksSettings settings,
      TargetRules targets,
      Endpoints endpoints,
      Deliveries deliveries,
      InstantSource clock,
      LabelledCounters<Deliveries.State> outcomes) {
    this.settings = settings;
    this.endpoints = endpoints;
    this.deliveries = deliveries;
    this.clock = clock;
    this.outcomes = outcomes;
    http = client(targets, Timeout.of(settings.deadline()));
  }

  private static CloseableHttpClient client(TargetRules targets, Timeout deadline) {
    return HttpClients.custom()
        .setConnectionManager(
            PoolingHttpClientConnectionManagerBuilder.create()
                .setDnsResolver(targets)
                // The sender bounds its deliveries. A place in a pool would be one that slow
                // endpoints can take away from others.
                .setMaxConnTotal(Integer.MAX_VALUE)
                .setMaxConnPerRoute(Integer.MAX_VALUE)
                .setConnectionFactory(
                    ManagedHttpClientConnectionFactory.builder().http1Config(HEAD).build())
                .setDefaultSocketConfig(SocketConfig.custom().setSoTimeout(deadline).build())
                .setDefaultConnectionConfig(
                    ConnectionConfig.custom()
                        .setConnectTimeout(deadline)
                        .setSocketTimeout(deadline)
                        .build())
                .build())
        .setDefaultRequestConfig(RequestConfig.custom().setResponseTimeout(deadline).build())
        .setUserAgent("viaduct-billing")
        .evictIdleConnections(IDLE)
        .disableRedirectHandling()
        .disableAutomaticRetries()
        .disableContentCompression()
        .disableCookieManagement()
        .disableAuthCaching()
        .build();
  }

  /// Begins what is due.
  void sendDue() {
    int begun;
    int asked;
    do {
      asked = Math.min(CLAIMED_AT_ONCE, CONCURRENT_MAX - busy.size());
      begun = begin(asked);
    } while (begun > 0 && begun == asked);
  }

  private int begin(int endpointsMax) {
    Instant now = clock.instant();
    Duration lease = TURN.plus(settings.deadline()).plus(LEASE_MARGIN);
    Map<Long, List<Claimed>> claimed =
        deliveries.claim(busy, endpointsMax, lease, now).stream()
            .collect(Collectors.groupingBy(Claimed::endpoint));
    claimed.forEach((endpoint, all) -> {
      busy.add(endpoint);
      threads.execute(() -> {
        try {
          turn(all, now.plus(TURN));
        } catch (DataAccessException e) {
          LOG.warn("webhook deliveries wait for the database: {}", e.toString());
        } catch (InterruptedException _) {
          Thread.currentThread().interrupt(); // the end of this process is no attempt
        } finally {
          busy.remove(endpoint);
        }
      });
    });
    return claimed.size();
  }

  private void turn(List<Claimed> claimed, Instant end) throws InterruptedException {
    int tried = 0;
    boolean goesOn = true;
    while (goesOn && tried < claimed.size()) {
      boolean isAnswered = send(claimed.get(tried));
      tried++;
      goesOn = isAnswered && clock.instant().isBefore(end);
    }
    deliveries.giveBack(claimed.subList(tried, claimed.size()), clock.instant());
  }

  private boolean send(Claimed delivery) throws InterruptedException {
    Outcome outcome;
    try {
      outcome = post(delivery);
    } catch (DataAccessException e) {
      throw e; // says nothing about the endpoint
    } catch (RuntimeException e) {
      outcome = failure(e); // counts, so that a delivery that cannot be made does not stay for ever
    }
    outcomes.increment(
        deliveries.finish(
            delivery, outcome, settings.attempts(), settings.failures(), clock.instant()));
    return outcome.status() != null;
  }

  private Outcome post(Claimed delivery) throws InterruptedException {
    byte[] body = body(delivery).getBytes(UTF_8);
    HttpPost request = new HttpPost(delivery.url());
    request.setEntity(new ByteArrayEntity(body, ContentType.APPLICATION_JSON));
    request.setHeader("Idempotency-Key", Long.toString(delivery.event()));
    request.setHeader(EVENT_HEADER, delivery.kind());
    request.setHeader(
        WebhookSignature.HEADER,
        WebhookSignature.signAll(
            endpoints.secrets(delivery.endpoint(), clock.instant()), clock.instant(), body));
    return outcome(request);
  }

  // The exchange has a thread of its own: the client has a time for each read only, and none for
  // the
  // look-up of a name.
  private Outcome outcome(HttpPost request) throws InterruptedException {
    CompletableFuture<Integer> answered = new CompletableFuture<>();
    Future<?> exchange = threads.submit(() -> exchange(request, answered));
    try {
      int status = answered.get(settings.deadline().toMillis(), TimeUnit.MILLISECONDS);
      return new Outcome(status, status / 100 == 2 ? "" : "status " + status);
    } catch (TimeoutException _) {
      return new Outcome(null, "no answer within " + settings.deadline().toMillis() + " ms");
    } catch (ExecutionException e) {
      if (threads.isShutdown()) {
        throw new InterruptedException("billing ends");
      }
      return failure(e.getCause());
    } finally {
      request.cancel();
      exchange.cancel(true);
    }
  }

  private static Outcome failure(@Nullable Throwable cause) {
    String why = String.valueOf(cause);
    return new Outcome(null, why.substring(0, Math.min(why.length(), Deliveries.ERROR_LENGTH_MAX)));
  }

  private void exchange(HttpPost request, CompletableFuture<Integer> answered) {
    try {
      var unused =
          http.execute(
              request,
              answer -> {
                // Ends the connection if a body follows: the client would read it to its end.
                request.cancel();
                answered.complete(answer.getCode());
                return answer;
              });
    } catch (IOException | RuntimeException e) {
      answered.completeExceptionally(e); // changes nothing after an answer
    }
  }

  private static String body(Claimed delivery) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("id", Long.toString(delivery.event()));
    body.put("kind", delivery.kind());
    body.put("account", delivery.account());
    body.put("createdAt", delivery.createdAt().toString());
    body.put("data", JSON.readTree(delivery.body()));
    return JSON.writeValueAsString(body);
  }

  @Override
  public void close() throws IOException {
    threads.shutdownNow();
    http.close();
  }
}
